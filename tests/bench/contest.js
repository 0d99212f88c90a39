// One workload or training, every runtime: results are compared, then times are taken in turns.

import { median } from '../../web/plain/timing.js';
import { isTraining } from './data.js';
import { difference, shuffled } from './numbers.js';

/**
 * @typedef {import('./data.js').Job} Job
 * @typedef {import('./engines/engine.js').Runner} Runner
 * @typedef {import('./runtimes/runtime.js').Contestant} Runtime
 *
 * @typedef {object} Entry a runtime's part in one row
 * @property {string} runtime
 * @property {boolean} [orientation] no rival
 * @property {string} [way] the fastest that gives the right result
 * @property {number} [ms] the median
 * @property {number} [runs] how many it is the median of
 * @property {string} [problem] why there is no time
 * @property {Record<string, string>} [failed] ways that do not work, and why
 *
 * @typedef {object} Contender
 * @property {Entry} entry
 * @property {Runner} runner
 * @property {Float32Array} result
 * @property {number} trial milliseconds a run, about
 * @property {number[]} times
 *
 * @typedef {(runtime: string) => Runner} Start
 */

const TOLERANCE = 1e-3; // of the largest magnitude; float32 in any order of sums stays far below
const LIMIT = 30_000; // milliseconds for one order, of a layer
const STEP_LIMIT = 90_000; // of a training: three passes and more
const REFERENCE_FLOPS = 1e9; // plain loops take seconds for as many
const ROUNDS = 5;
const TURN = 250; // milliseconds that a turn of several runs takes, about
const MOST_RUNS = 25;
const SLOW = 2000; // milliseconds of a run that is not repeated within a turn
const HOPELESS = 3; // times the fastest: who is slow and that far behind gets no turns
const LINE = 120; // characters of a reason
const REST = 50; // milliseconds in which threads that spin for work give up

/**
 * @param {Job} job
 * @param {Runtime[]} runtimes ours first
 * @param {Start} start
 * @returns {Promise<Entry[]>} in the order of runtimes
 */
export async function contest(job, runtimes, start) {
  /** @type {Contender[]} */
  const contenders = [];
  /** @type {Entry[]} */
  const entries = [];
  try {
    const [ours, ...rivals] = runtimes;
    const { entry, contender } = await enter(job, ours, start);
    entries.push(entry);
    if (contender) contenders.push(contender);
    for (const rival of rivals) {
      const { entry, contender: other } = contender
        ? await enter(job, rival, start, contender.result)
        : nothingToCompare(rival);
      entries.push(entry);
      if (other) contenders.push(other);
    }
    await takeTurns(contenders, limitOf(job));
    for (const { entry, times, trial } of contenders) {
      if (times.length === 0) times.push(trial);
      if (!entry.problem) Object.assign(entry, { ms: median(times), runs: times.length });
    }
    return entries;
  } finally {
    for (const { runner } of contenders) await runner.end();
  }
}

/**
 * Tries each way in a process of its own, for one that fails may leave a broken runtime; the fastest one stays.
 * @param {Job} job @param {Runtime} runtime @param {Start} start
 * @param {Float32Array} [expected] our result; without it, ours is held against the reference loops if these are quick
 * @returns {Promise<{ entry: Entry, contender?: Contender }>}
 */
async function enter(job, runtime, start, expected) {
  /** @type {Record<string, string>} */
  const failed = {};
  /** @type {Contender | undefined} */
  let best;
  for (const way of isTraining(job) ? (runtime.trainingWays?.(job) ?? []) : runtime.ways(job)) {
    const runner = start(runtime.name);
    try {
      const { result, trial } = await tryOut(runner, job, way);
      if (expected) check(result, expected);
      else if (!isTraining(job) && job.flops <= REFERENCE_FLOPS)
        check(result, await runner.ask({ order: 'reference' }, 4 * LIMIT));
      const slower = best && best.trial <= trial;
      await (slower ? runner : best?.runner)?.end();
      if (!slower) best = { entry: { ...entryOf(runtime), way, failed }, runner, result, trial, times: [] };
    } catch (error) {
      await runner.end();
      failed[way] = reasonOf(error);
    }
  }
  if (!best) return { entry: { ...entryOf(runtime), problem: Object.values(failed)[0], failed } };
  return { entry: best.entry, contender: best };
}

/** @param {Runtime} rival @returns {{ entry: Entry, contender?: Contender }} */
function nothingToCompare(rival) {
  return { entry: { ...entryOf(rival), problem: 'nothing to compare with' } };
}

/** @param {Runtime} runtime @returns {Entry} */
const entryOf = ({ name, orientation }) => ({ runtime: name, ...(orientation && { orientation }) });

/** @param {Runner} runner @param {Job} job @param {string} way */
async function tryOut(runner, job, way) {
  const limit = limitOf(job);
  await runner.ask({ order: 'open' }, limit);
  await runner.ask({ order: 'prepare', workload: job.name, way }, limit);
  const steps = isTraining(job) ? job.steps : 1;
  const start = performance.now();
  /** @type {Float32Array} */
  const result = await runner.ask({ order: 'result' }, steps * limit);
  const runs = (performance.now() - start) / steps > SLOW ? 1 : 3;
  return { result, trial: Math.min(...(await runner.ask({ order: 'time', runs }, runs * limit))) };
}

/** Milliseconds for one order. @param {Job} job */
const limitOf = (job) => (isTraining(job) ? STEP_LIMIT : LIMIT);

/** @param {Float32Array} result @param {Float32Array} expected */
function check(result, expected) {
  const apart = difference(result, expected);
  if (!(apart <= TOLERANCE)) throw new WrongResult(`wrong result (off by ${apart.toPrecision(2)})`);
}

class WrongResult extends Error {}

/** @param {unknown} error */
function reasonOf(error) {
  if (error instanceof WrongResult) return error.message;
  const [line] = String(error instanceof Error ? error.message : error).split('\n');
  return `fails: ${line.length > LINE ? `${line.slice(0, LINE)}…` : line}`;
}

/**
 * Other work of the machine meets everybody alike: in each round all have their turn, in any order. Only of who is
 * hopeless the trial counts: minutes would show nothing else.
 * @param {Contender[]} contenders
 * @param {number} limit
 */
async function takeTurns(contenders, limit) {
  const competing = contenders.filter(({ entry }) => !entry.orientation);
  const fastest = Math.min(...competing.map(({ trial }) => trial));
  const hopeful = contenders.filter(({ trial }) => trial < Math.max(SLOW, HOPELESS * fastest));
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of shuffled(hopeful, Math.random)) {
      if (contender.entry.problem) continue;
      await new Promise((resolve) => setTimeout(resolve, REST));
      await takeTurn(contender, limit).catch((error) => (contender.entry.problem = reasonOf(error)));
    }
  }
}

/** @param {Contender} contender @param {number} limit */
async function takeTurn({ runner, trial, times }, limit) {
  if (trial < TURN) await runner.ask({ order: 'time', runs: 1 }, limit); // fills the caches, which held somebody else's numbers
  const runs = trial > SLOW ? 1 : Math.min(MOST_RUNS, Math.max(2, Math.round(TURN / trial)));
  times.push(...(await runner.ask({ order: 'time', runs }, limit * runs)));
}
