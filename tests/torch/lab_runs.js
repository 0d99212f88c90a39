// Runs of the lab "Attention or dense", each with its printed script: every task with its default variants and three
// seeds, of which one changes its rate on the way; the other values of each switch; given budgets; a reader's own file.
// `npm test` has a run of each task, with the changed rate.

import { entrantOf } from '../../web/plain/attention-or-dense/entrants.js';
import { scriptOf } from '../../web/plain/attention-or-dense/script.js';
import { checkPlan } from '../../web/plain/attention-or-dense/settings.js';
import { sourceOf } from '../../web/plain/attention-or-dense/source.js';
import { loadData, taskNamed, tasks } from '../../web/plain/attention-or-dense/tasks.js';
import { OVER_LSTM } from '../../web/plain/attention-or-dense/variants.js';
import { Trial } from '../../web/plain/attention-or-dense/trial.js';
import { readTable } from '../../web/plain/tables/table.js';

/** @typedef {import('../../web/lib/index.js').Attnscope} Attnscope */
/** @typedef {import('../../web/plain/tables/table.js').Table} Table */
/** @typedef {import('../../web/plain/attention-or-dense/settings.js').Plan} Plan */

const STEPS = 50;
const SEEDS = [0, 1, 2];
const CHANGED = { seed: 2, step: 20 };
/** A transformer layer of two features would have norms of nothing but signs. */
const BUDGETS = [
  { task: 'peak_day', budget: 500 },
  { task: 'first_names', budget: 2000 }
];

/** Tasks of days and of letters, for layers over an LSTM. */
const TASKS_OVER_LSTM = ['which_day', 'peak_day', 'births', 'first_names'];

/** @param {string} name @param {string} text */
const read = (name, text) => readTable(name, new TextEncoder().encode(text));

/** Rows that have something to learn, of other lengths, with a rare word and words without spaces. */
const texts = Array.from({ length: 200 }, (_, at) => {
  const words = [
    `Day ${at % 7}! 今天很好`,
    at % 3 ? 'good' : 'bad',
    ...(at % 2 ? ['and', 'long'] : []),
    at % 50 ? '' : `rare${at}`
  ];
  return `${words.filter(Boolean).join(' ')},${at % 3 ? 'up' : 'down'}\n`;
});
const numbers = Array.from({ length: 200 }, (_, at) => {
  const row = [(at * 37) % 101, ((at * 53) % 17) / 4, 5, -((at * 7) % 13)];
  return `${row.join(',')},${['low', 'middle', 'high'][Math.floor(row[0] / 34)]}\n`;
});

/** @param {Attnscope} scope @param {boolean} gate */
export async function labRuns(scope, gate) {
  await Promise.all(tasks.map(({ name }) => loadData(name)));
  const own = [
    await read('texts.csv', `text,label\n${texts.join('')}`),
    await read('numbers.csv', `a,b,c,d,label\n${numbers.join('')}`)
  ];
  if (gate) {
    return [
      ...tasks.flatMap(({ name, file }) =>
        ofTask(scope, { task: name, ...(file && { samples: 128 }) }, file ? own[0] : null, [CHANGED.seed], 1)
      ),
      ...ofTask(scope, { task: 'which_day', variants: 'lstm_timestep' }, null, [CHANGED.seed]),
      ...ofTask(scope, { task: 'first_names', variants: 'lstm' }, null, [CHANGED.seed])
    ];
  }
  return [
    ...tasks.filter(({ file }) => !file).flatMap((task) => ofTask(scope, { task: task.name }, null, SEEDS)),
    ...tasks.flatMap((task) =>
      switches(task).flatMap((values) => ofTask(scope, { task: task.name, ...values }, null, [0]))
    ),
    ...TASKS_OVER_LSTM.flatMap((task) => ofTask(scope, { task, variants: OVER_LSTM }, null, [0])),
    ...BUDGETS.flatMap((values) => ofTask(scope, values, null, [0])),
    ...own.flatMap((table) => ofTask(scope, { task: 'file', samples: 128 }, table, [0, 1]))
  ];
}

/**
 * Other values of a task's settings, one at a time.
 * @param {import('../../web/plain/attention-or-dense/tasks.js').Task} task
 */
const switches = ({ settings }) =>
  settings.flatMap((setting) =>
    setting.kind === 'choice'
      ? setting.choices.filter(({ value }) => value !== setting.initial).map(({ value }) => ({ [setting.name]: value }))
      : []
  );

/**
 * @param {Attnscope} scope @param {Record<string, any>} values @param {Table | null} table @param {number[]} seeds
 * @param {number} [most] variants
 */
function ofTask(scope, values, table, seeds, most = Infinity) {
  const { plan, errors } = checkPlan(scope, { steps: STEPS, ...values }, table);
  if (!plan) throw new Error(JSON.stringify(errors));
  return plan.variants.slice(0, most).flatMap((variant) =>
    seeds.map((seed) => {
      const changes = seed === CHANGED.seed ? [{ step: CHANGED.step, lr: plan.lr / 4 }] : [];
      return run(scope, { ...plan, changes }, table, variant, seed);
    })
  );
}

/**
 * @param {Attnscope} scope @param {Plan} plan @param {Table | null} table @param {string} variant @param {number}
 *   seed
 */
function run(scope, plan, table, variant, seed) {
  const source = sourceOf(/** @type {any} */ (taskNamed(plan.task)), plan.values, table);
  const entrant = entrantOf(scope, source, plan.batch, plan.budget, variant);
  const trial = new Trial(scope, { ...plan, source }, entrant, seed, source.examples(scope, seed, plan.samples));
  try {
    const losses = Array.from({ length: plan.steps }, () => trial.next());
    const { loss: held_loss, score } = trial.evaluate();
    const loss = losses.reduce((sum, one) => sum + one, 0) / losses.length;
    const points = [{ step: plan.steps, loss, held_loss, score }];
    const shown = JSON.stringify({ ...plan.values, budget: plan.budget, file: plan.file?.name });
    return {
      title: `${plan.task} ${variant} ${seed} ${shown}`,
      losses,
      held_loss,
      score,
      script: scriptOf(scope, plan, table, { variant, seed, points })
    };
  } finally {
    trial.dispose();
  }
}
