// What is shown of the looks: averages of runs that are done, one held-out example, or a text of the reader's own.

import { formatSignificant, formatThings } from '../../../plain/format.js';
import { softmax } from '../../../plain/softmax.js';
import { meanLooks } from '../../../plain/attention-or-dense/bands.js';
import { shareText } from '../../../plain/attention-or-dense/minute-words.js';
import { seedsOf } from '../../../plain/attention-or-dense/settings.js';
import { isFree } from './asking.js';

/**
 * @typedef {import('../contest.js').Contest} Contest
 * @typedef {import('../contest.js').Contender} Contender
 * @typedef {import('../../../plain/attention-or-dense/source.js').Source} Source
 * @typedef {import('./looks-view.js').Seen} Seen
 * @typedef {import('./looks-view.js').Mode} Mode
 * @typedef {{ mode: Mode | null, index: number, seed: number | null, text: string }} Chosen `mode`: null for what suits
 *   the task
 * @typedef {{ label?: number, said: number[], shares?: number[], weights: number[] | null, gradients: number[],
 *   lost: number[], days?: number[], texts?: string[] | null, words?: string[], unknown?: string[],
 *   left?: number }} Answer
 *
 * @typedef {object} Asked
 * @property {Contest} contest
 * @property {import('./asking.js').Asking<Record<string, Answer>>} examples
 */

/** Tasks whose days that decide are others in each example: an average over examples shows nothing of them. */
const moves = (/** @type {string} */ task) => ['peak_day', 'marker', 'either_or'].includes(task);

/**
 * @param {Asked} asked
 * @param {readonly (Pick<Contender, 'name' | 'title' | 'config'> & { seeds: readonly any[] })[]} variants
 * @param {Chosen} chosen
 * @param {{ source: Source | null, task: import('../../../plain/attention-or-dense/tasks.js').Task }} of
 * @returns {import('./looks-view.js').LooksState}
 */
export function looksStateOf({ contest, examples }, variants, chosen, { source, task }) {
  const { index, text } = chosen;
  const mode = chosen.mode ?? (moves(task.name) ? 'one' : 'all');
  const { plan, score } = contest;
  const seeds = plan ? seedsOf(plan) : [];
  const seed = chosen.seed !== null && seeds.includes(chosen.seed) ? chosen.seed : (seeds[0] ?? 0);
  if (mode === 'one') ask(contest, examples, seed, 'example', { index });
  if (mode === 'own' && text.trim()) ask(contest, examples, seed, 'words', { text });
  const answers = (mode !== 'all' && examples.answer) || {};
  const [first] = Object.values(answers);
  const words = first?.words ?? first?.texts ?? null;
  return {
    ...{
      mode,
      index,
      seed,
      seeds,
      text,
      marked: first?.days ?? [],
      words,
      problem: mode === 'all' ? '' : examples.problem
    },
    unit: score?.kind === 'error' ? 'error' : 'share',
    asks: source?.asks ?? '',
    ready: contest.variants.some((variant) => isFree(contest, variant, seed)),
    about: mode === 'one' ? aboutText(index, first, source) : readText(first, stepOf(source)),
    places: placesOf(task, source, words),
    rows: variants.map(({ name, title, config, seeds: runs }) => ({
      title,
      unweighed: config.encoder === 'transformer' ? `from each ${stepOf(source)} to each: see the tensors` : 'has none',
      said: answers[name] ? saidText(answers[name], source) : '',
      seen: mode === 'all' ? meanLooks(runs) : seenOf(answers[name], words?.length)
    }))
  };
}

/**
 * @param {Contest} contest @param {Asked['examples']} examples @param {number} seed
 * @param {'example' | 'words'} task @param {Record<string, unknown>} args
 */
function ask(contest, examples, seed, task, args) {
  const free = contest.variants.filter((variant) => isFree(contest, variant, seed));
  const steps = free.map(({ name, seeds }) => `${name} ${seeds.find((run) => run.seed === seed)?.step}`);
  const key = free.length ? JSON.stringify([contest.plan, task, args, seed, steps]) : '';
  examples.want(key, contest.playing, async () => {
    const all = await Promise.all(free.map(async ({ name }) => [name, await contest.ask(name, seed, task, args)]));
    return Object.fromEntries(all);
  });
}

/** @param {Answer | undefined} answer @param {number | undefined} length of a text @returns {Seen | null} */
function seenOf(answer, length) {
  if (!answer) return null;
  const own = (/** @type {number[]} */ values) => values.slice(0, length);
  const gradients = own(answer.gradients);
  const total = gradients.reduce((sum, value) => sum + value, 0) || 1;
  return {
    weights: answer.weights && own(answer.weights),
    gradients: gradients.map((value) => value / total),
    lost: own(answer.lost)
  };
}

/** @param {number} index @param {Answer | undefined} answer @param {Source | null} source */
function aboutText(index, answer, source) {
  const label = answer?.label;
  if (label === undefined) return `Example ${index + 1}`;
  const right = answer?.said.length === 1 ? formatSignificant(label) : classText(label, source);
  return `Example ${index + 1}, right is ${right}`;
}

/** What of a text of the reader's own could not be read. @param {Answer | undefined} answer @param {string} step */
function readText({ words = [], unknown = [], left = 0 } = /** @type {Answer} */ ({}), step) {
  const cut = left === 1 ? `the last ${step} is` : `the last ${formatThings(left, step)} are`;
  return [
    left ? `The layers read the first ${formatThings(words.length, step)}; ${cut} left out.` : '',
    unknown.length ? `Not known from training: ${unknown.join(', ')}.` : ''
  ]
    .filter(Boolean)
    .join(' ');
}

/** @param {number} label @param {Source | null} source */
const classText = (label, source) => source?.classes?.[label] ?? `class ${label}`;

/** @param {Answer} answer @param {Source | null} source */
function saidText({ said, shares }, source) {
  if (said.length === 1) return formatSignificant(Number(said[0].toFixed(3)));
  const most = said.indexOf(Math.max(...said));
  return `${classText(most, source)}, ${shareText((shares ?? softmax(said))[most])}`;
}

/**
 * How a place is called: averages of texts count from the end.
 * @param {import('../../../plain/attention-or-dense/tasks.js').Task} task @param {Source | null} source
 * @param {readonly string[] | null} words
 * @returns {(at: number, count: number) => string}
 */
function placesOf(task, source, words) {
  const step = stepOf(source);
  if (words) return (at) => `“${words[at]}”`;
  if (source?.steps) return (at) => source.steps?.[at] ?? String(at + 1);
  if (source?.padded)
    return (at, count) => (at === count - 1 ? `the last ${step}` : `${step} ${count - at} from the end`);
  if ('from' in task && step === 'day') return (at, count) => daysBefore(count - at);
  return (at) => `${step} ${at + 1}`;
}

/** @param {Source | null} source */
const stepOf = (source) => source?.step ?? 'step';

/** @param {number} days */
const daysBefore = (days) => (days === 1 ? 'the day before' : `${days} days before`);
