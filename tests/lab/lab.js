// npm run lab: the lab "Attention or dense" against PyTorch to the end: each task with its default settings, five seeds
// of each variant here and there. The mean score must lie within the spread of PyTorch's own.
//
//   npm run lab                             all tasks
//   npm run lab -- births                   some of them
//   npm run lab -- which_day=lstm,lstm_flat with other layers than those with which a task opens

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, main } from '../../tools/build.js';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { pytorch } from '../../tools/toolchain.js';
import { open } from '../../web/lib/index.js';
import { Runs } from '../../web/plain/attention-or-dense/runs.js';
import { scriptOf } from '../../web/plain/attention-or-dense/script.js';
import { checkPlan } from '../../web/plain/attention-or-dense/settings.js';
import { deviation, mean } from '../../web/plain/attention-or-dense/statistics.js';
import { loadData, taskNamed, tasks } from '../../web/plain/attention-or-dense/tasks.js';

const SEEDS = 5;
/**
 * What rounding may do to a score where all seeds of PyTorch's agree: four of 2,000 examples, a fiftieth of an error.
 */
const FLOOR = { accuracy: 0.002, error: 0.02 };
const HOUR = 3_600_000;

/**
 * @param {import('../../web/lib/index.js').Attnscope} scope
 * @param {import('../../web/plain/attention-or-dense/tasks.js').Task} task @param {string} [names] of its layers
 */
function here(scope, task, names) {
  const { plan, variants, errors } = checkPlan(scope, { task: task.name, seeds: SEEDS, variants: names });
  if (!plan) throw new Error(`${task.name} has no plan: ${Object.values(errors).join(' ')}`);
  return variants.map(({ name: variant }) => {
    const runs = new Runs(scope, { plan, table: null, variants: [variant] });
    const seeds = Array.from({ length: SEEDS }, (_, seed) => {
      runs.train({ variant, seed, most: Infinity, seconds: Infinity });
      const { score } = runs.finish({ variant, seed });
      return { score, script: scriptOf(scope, plan, null, { variant, seed }) };
    });
    runs.dispose();
    return { task: task.name, variant, kind: task.name === 'births' ? 'error' : 'accuracy', seeds };
  });
}

/**
 * The scores that PyTorch finds by the scripts.
 * @param {ReturnType<typeof here>} runs @returns {Promise<number[][]>}
 */
async function there(runs) {
  const folder = join(project, 'build', 'lab');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'scripts.json');
  writeFileSync(file, JSON.stringify(runs.map(({ seeds }) => seeds.map(({ script }) => script))));
  const [program, words, options] = (await pytorch()).line('python3', ['tests/lab/repeat.py', file], {});
  const { code, output } = await attempt(program, words, { ...options, timeout: HOUR });
  if (code !== 0) throw new Error(output);
  return JSON.parse(/** @type {string} */ (output.trim().split('\n').at(-1)));
}

/** @param {ReturnType<typeof here>[number]} run @param {number[]} scores PyTorch's */
function judged({ task, variant, kind, seeds }, scores) {
  const own = seeds.map(({ score }) => score);
  const unit = kind === 'error' ? 1 : 100;
  const theirs = scores.map((score) => score / (kind === 'error' ? 1 : 100));
  const allowed = Math.max(deviation(theirs), FLOOR[/** @type {keyof typeof FLOOR} */ (kind)]);
  const isWithin = Math.abs(mean(own) - mean(theirs)) <= allowed;
  const text = (/** @type {number[]} */ list) =>
    `${(unit * mean(list)).toFixed(2)} ± ${(unit * deviation(list)).toFixed(2)}`;
  console.log(`${isWithin ? 'ok  ' : 'FAR '} ${task} ${variant}: here ${text(own)}, PyTorch ${text(theirs)}`);
  return isWithin;
}

await main(async () => {
  await build();
  const wanted = new Map(process.argv.slice(2).map((word) => /** @type {[string, string?]} */ (word.split('='))));
  const stranger = [...wanted.keys()].find((name) => !taskNamed(name));
  if (stranger !== undefined) throw new Error(`there is no task ${stranger}`);
  const chosen = tasks.filter(({ name, file }) => !file && (wanted.size === 0 || wanted.has(name)));
  await Promise.all(chosen.map(({ name }) => loadData(name)));
  const scope = await open({ threads: 1 });
  const far = [];
  for (const task of chosen) {
    const runs = here(scope, task, wanted.get(task.name));
    const scores = await there(runs);
    far.push(...runs.filter((run, at) => !judged(run, scores[at])));
  }
  if (far.length > 0) throw new Error(`${far.length} scores are not within the spread of PyTorch's`);
});
