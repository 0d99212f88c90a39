// The lab before any script: what its first task is, and the layers that it opens with.

import { checkPlan, readAddress, settingsOf } from '../../../plain/attention-or-dense/settings.js';
import { tasks } from '../../../plain/attention-or-dense/tasks.js';
import { variants } from '../../../plain/attention-or-dense/variants.js';
import { readSettings, initialValues } from '../../../plain/labs/settings.js';
import { contestView } from './view.js';

/** Whatever is pressed before there is a script. */
const nothingHappens = /** @type {any} */ (new Proxy({}, { get: () => () => {} }));
const PARTS = ['looks', 'tensor', 'repeat', 'file', 'kept'];
const actions = new Proxy(nothingHappens, {
  get: (_, name) => (PARTS.includes(String(name)) ? nothingHappens : () => {})
});

/** @param {import('../../../lib/index.js').Attnscope} scope */
export function staticContest(scope) {
  const { values: entered } = readAddress('');
  const settings = settingsOf(tasks[0]);
  const { values } = readSettings(settings, entered, initialValues(settings));
  const checked = checkPlan(/** @type {any} */ (scope), entered);
  const rows = checked.variants.map(({ title }) => ({ title, seen: null, said: '', unweighed: '' }));
  return contestView(
    {
      ...{
        task: tasks[0],
        entered,
        values,
        settings,
        report: null,
        unknown: '',
        table: null,
        errors: {},
        leftOut: [],
        refused: false,
        ran: false,
        runnable: true,
        playing: false,
        done: false,
        stale: false,
        fresh: 0,
        resumed: false
      },
      candidates: variants.map(({ name, title, about }) => ({
        ...{ name, title, about },
        chosen: entered.variants.includes(name),
        reason: ''
      })),
      ...{ step: 0, variants: checked.variants.map((one) => ({ ...one, seeds: /** @type {[]} */ ([]) })), score: null },
      ...{ plan: checked.plan, opponents: [], comparison: null, curves: null, curve: 'score', failure: '', said: '' },
      looks: {
        ...{
          rows,
          mode: 'one',
          ready: false,
          index: 0,
          seed: 0,
          seeds: [],
          text: '',
          asks: '',
          about: 'Example 1',
          problem: '',
          marked: []
        },
        ...{ words: null, places: String, unit: 'share' }
      },
      file: { table: null, reading: '', error: '', note: '', over: false },
      kept: { entries: [], problem: '', current: '' },
      tensor: {
        variants: [],
        variant: '',
        tensors: [],
        tensor: '',
        gradient: false,
        index: 0,
        drawn: null,
        step: 0,
        problem: ''
      },
      repeat: {
        ...{
          said: { kind: '', text: '' },
          variants: checked.variants,
          variant: checked.variants[0].name,
          script: '',
          problem: '',
          open: false,
          canPrint: true
        },
        ...{ ran: false, scored: false, moments: [], moment: 0, lr: '', error: '' }
      }
    },
    actions
  );
}
