// Every line of PyTorch that the page can show, for what it shows beside it: the file under a run, for every preset
// and for every layer as it comes, with inputs and masks of each kind; the mistakes; the tutorial's chapters; the
// guide. The PyTorch panel itself is printed for every case.

import { demos } from '../../web/plain/labs/demos.js';
import { initialValues } from '../../web/plain/labs/settings.js';
import { chapters, computeChapter, settingsOfChapter } from '../../web/plain/labs/tutorial.js';
import { drawInputs, givenMasks, givenOf, isNeeded } from '../../web/plain/inputs.js';
import { causalMask, maskPlanes, openMask, paddedMask, paintLine } from '../../web/plain/mask.js';
import { PATTERNS } from '../../web/plain/patterns.js';
import { maskArguments } from '../../web/plain/pytorch-source.js';
import { pythonScript, shownValues } from '../../web/plain/python.js';
import { presetGroups, presetValues } from '../../web/elements/models/presets.js';
import { prerender } from '../../web/pages/build/prerender.js';

/** @typedef {import('../../web/lib/index.js').Attnscope} Attnscope */
/** @typedef {import('../../web/plain/mask.js').Masks} Masks */

const SEEDS = [0, 3, 2 ** 32 + 7];
const MOST_MASKED = 1e9; // multiply-accumulates of a layer that is run again for each kind of mask
const MOST_SAMPLED = 1e4; // values of a result that are compared, evenly over all of it

/**
 * What can be painted over all planes at once, by the button or the stroke that does it.
 * @param {any[]} inputs
 * @returns {[string, Masks][]}
 */
function paintings(inputs) {
  const planes = maskPlanes(inputs);
  const painted = (/** @type {(rows: number, columns: number) => Uint8Array} */ paint) =>
    Object.fromEntries(planes.map(({ name, shape: [rows, columns] }) => [name, paint(rows, columns)]));
  if (planes.length === 0) return [];
  return [
    ['tails padded, as for sequences', painted((rows, columns) => paddedMask(rows, columns, false))],
    ['tails padded, as for queries', painted((rows, columns) => paddedMask(rows, columns, true))],
    ['causal', painted(causalMask)],
    ['a stroke', painted(stroke)]
  ];
}

/** From one corner to the middle, as wide as two cells. @param {number} rows @param {number} columns */
function stroke(rows, columns) {
  const mask = openMask(rows, columns);
  paintLine(mask, columns, { row: 0, column: 0 }, { row: rows >> 1, column: columns >> 1 }, 0, { rows: 2, columns: 2 });
  mask[columns - 1] = 1; // what sees nothing is zeros, which would say little
  return mask;
}

const presets = presetGroups.flatMap((group) => group.presets);

export const presetTitles = presets.map(({ title }) => title);

/** Layers that are given numbers by hand, whole ones among them, as a link has them. */
const HANDMADE = [
  [{ layer: 'linear_scorer', batch_size: 2, seq_len: 3, hidden_size: 2 }, 'hidden_states:1,2;3,-4;0,6'],
  [
    { layer: 'scaled_dot_product_attention', batch_size: 2, num_heads: 2, seq_len: 2, kv_len: 3, head_dim: 2 },
    'query:1,0;0,1|key:1,2;3,4;5,6|value:0.25,-1;1e-3,7;8,9'
  ]
];

/**
 * What a run opens with for a preset, each pattern for some of the layers, and numbers by hand.
 * @param {Attnscope} scope
 */
function configs(scope) {
  const layers = scope.layers();
  const store = /** @type {any} */ ({ layers });
  const chosen = presets.map(({ title, values }) => ({
    title,
    config: presetValues(store, values),
    given: givenOf('', ''),
    preset: true
  }));
  const own = layers.map(({ name, fields }, index) => {
    const small = fields.some((field) => field.name === 'batch_size') ? { batch_size: 2 } : {};
    const given = givenOf(PATTERNS[index % PATTERNS.length].name, '');
    return { title: name, config: presetValues(store, { layer: name, ...small }), given, preset: false };
  });
  const handmade = HANDMADE.map(([values, numbers]) => ({
    title: `${/** @type {any} */ (values).layer}, by hand`,
    config: presetValues(store, /** @type {any} */ (values)),
    given: givenOf('own', String(numbers)),
    preset: false
  }));
  return [...chosen, ...own, ...handmade];
}

/** As the page's worker runs it. @param {Attnscope} scope */
export function snippets(scope) {
  const layers = scope.layers();
  return configs(scope).flatMap(({ title, config: any, given: numbers, preset }, i) => {
    const config = /** @type {any} */ (any);
    const className = layers.find(({ name }) => name === config.layer)?.pytorch_class ?? '';
    const { inputs, macs } = scope.estimate(config);
    const seed = SEEDS[i % SEEDS.length];
    const needed = inputs.filter(isNeeded);
    const model = scope.create(config, { seed });
    const given = drawInputs(scope, needed, seed, numbers);
    const masks = maskPlanes(inputs);
    const all = /** @type {[string, Masks][]} */ ([['no mask', {}], ...(macs < MOST_MASKED ? paintings(inputs) : [])]);
    const made = all.map(([mask, painted]) => {
      const { output } = model.forward({ ...given, ...givenMasks(masks, painted) }, { need_weights: false });
      const how = { seed, masks: painted, className, given: numbers };
      const asked = { self_check: false, mask: mask !== 'no mask', imports: ['import torch'] };
      const source = scope.pytorch(config, asked);
      const python = pythonScript(source, { inputs: needed, masks }, how);
      return {
        title,
        mask,
        preset,
        config,
        python,
        shown: shownValues(output),
        shape: output.shape,
        ...sample(output)
      };
    });
    model.dispose();
    return made;
  });
}

/** @param {{data: Float32Array}} output */
function sample({ data }) {
  const step = Math.ceil(data.length / MOST_SAMPLED);
  const values = data.filter((_, at) => at % step === 0);
  return { step, output: { data: values, shape: [values.length] } };
}

/** Each layer that takes masks: its module, and the arguments that the page shows for them. @param {Attnscope} scope */
export const maskCalls = (scope) =>
  scope.layers().flatMap(({ name }) => {
    const config = /** @type {any} */ ({ layer: name, batch_size: 2 });
    const { inputs } = scope.estimate(config);
    const needed = inputs.filter(isNeeded);
    const shown = maskArguments({ inputs });
    if (shown.length === 0) return [];
    return [{ layer: name, source: scope.pytorch(config, { mask: true }), inputs: needed, arguments: shown }];
  });

/** The five mistakes with the numbers of some seeds, and the module that they come from. @param {Attnscope} scope */
export function demonstrations(scope) {
  const scorer = (/** @type {object} */ size) =>
    scope.pytorch(/** @type {any} */ ({ layer: 'linear_scorer', ...size }), { mask: true });
  return [0, 1, 2].map((seed) => ({
    seed,
    demos: demos(scope, seed),
    sources: {
      plain: scorer({ batch_size: 2, seq_len: 6, hidden_size: 8 }),
      square: scorer({ batch_size: 4, seq_len: 4, hidden_size: 4 })
    }
  }));
}

/** What the code of each chapter of the tutorial prints, by the page, and that code. @param {Attnscope} scope */
export const tutorial = (scope) =>
  chapters.flatMap((chapter) =>
    [0, 3].map((seed) => {
      const values = { ...initialValues(settingsOfChapter(chapter)), seed, steps: 4 };
      const { printed, python } = computeChapter(chapter, scope, values);
      return { title: chapter.title, seed, printed: printed.join('\n'), python };
    })
  );

const TEXT = /** @type {Record<string, string>} */ ({
  '&gt;': '>',
  '&lt;': '<',
  '&amp;': '&',
  '&#39;': "'",
  '&quot;': '"'
});

/** The code of the guide's chapter on writing a scorer, as it stands on the page. */
export async function guideLines() {
  const { guide } = await prerender('guide/index.html', '<!--guide-->');
  const [chapter] = /<section id="pytorch-how">.*?<\/section>/s.exec(guide) ?? [];
  const steps = /<ol>.*<\/ol>/s.exec(chapter ?? '')?.[0] ?? '';
  return [...steps.matchAll(/<code>(.*?)<\/code>/g)].map(([, code]) =>
    code.replace(/&[^;]+;/g, (entity) => TEXT[entity])
  );
}
