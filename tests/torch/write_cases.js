// What attnscope says and computes, written down for PyTorch to judge:
//
//   python3 tests/torch/make_checkpoints.py OUTDIR N
//                                                   writes OUTDIR/checkpoints/, transformers' models
//   node tests/torch/write_cases.js [--gate] [--seed N] OUTDIR [LAYER]...
//                                                   writes OUTDIR/index.json and OUTDIR/tensors.f32, with configs of
//                                                   each layer, or of these layers and nothing else: as few as `npm
//                                                   test` has, or all; drawn with fixed seeds, or with this one
//   python3 -m pytest tests/torch --cases OUTDIR    judges them
//
// Nothing here expects a value.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { families, sameClass } from '../../web/lib/families.js';
import { fromHuggingFace, open } from '../../web/lib/index.js';
import { TRANSFORMERS, refusedTypes } from '../../web/lib/refused-families.js';
import { packSafetensors } from '../../web/plain/train/safetensors.js';
import { adapted, readCheckpoint } from './checkpoints.js';
import { COUNTS } from './counts.js';
import { Draw, broadcast, configs, ids, integers, masks } from './draw.js';
import { lengths, modelTypes, otherCaches, published, variants } from './families.js';
import { longSums } from './long_sums.js';
import { peaks } from './peaks.js';
import { decoding, openMask, peers, withVectors } from './peers.js';
import { labRuns } from './lab_runs.js';
import { runScripts } from './run_scripts.js';
import { demonstrations, guideLines, maskCalls, presetTitles, snippets, tutorial } from './snippets.js';
import { TensorFile } from './tensor_file.js';
import { trainings } from './trainings.js';

/** @typedef {import('../../web/lib/index.js').Attnscope} Attnscope */
/** @typedef {import('../../web/lib/index.js').Model} Model */
/** @typedef {Record<string, {data: import('./tensor_file.js').Data, shape: number[]}>} Tensors */

const LARGE_MACS = 1e6;
const STEP_SIZES = [1, 3, 5];
const FORMATS = /** @type {const} */ (['float16', 'bfloat16', 'int8']);
// Seeds at the edges of 32 bits and of exact doubles; the others are drawn.
const SEEDS = [0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 7, 2 ** 53 - 1];

const {
  values: { gate = false, seed: seedText },
  positionals: [directory, ...wanted]
} = parseArgs({ options: { gate: { type: 'boolean' }, seed: { type: 'string' } }, allowPositionals: true });
if (!directory) {
  console.error('usage: node tests/torch/write_cases.js [--gate] [--seed N] OUTDIR [LAYER]...');
  process.exit(2);
}
const counts = gate ? COUNTS.gate : COUNTS.all;
const file = new TensorFile(join(directory, 'tensors.f32'));

/** Each kind of case has numbers of its own, so that the others stay the same when it changes. @param {number} kind */
const drawOf = (kind) => new Draw(Number(seedText ?? 20261121) + kind);
const draw = drawOf(0);

/** Every build that this engine runs, each with one thread and with two; by name. */
async function openAll() {
  const scopes = /** @type {Record<string, Attnscope>} */ ({});
  for (const build of /** @type {const} */ (['simd', 'relaxed'])) {
    for (const threads of [1, 2]) {
      try {
        const scope = await open({ build, threads });
        scopes[scope.build.name] = scope;
      } catch (error) {
        if (!(error instanceof RangeError)) throw error; // an engine without relaxed SIMD
      }
    }
  }
  return scopes;
}

const scopes = await openAll();
const scope = Object.values(scopes)[0];
const referenceScope = await open({ build: 'reference' });

/** One model by each build's kernels, and one by the reference loops. */
class Models {
  /** @param {any} config @param {import('../../web/lib/types.js').CreateOptions} [options] */
  constructor(config, options) {
    /** By build. @type {Record<string, Model>} */
    this.kernels = Object.fromEntries(Object.entries(scopes).map(([name, one]) => [name, one.create(config, options)]));
    this.first = Object.values(this.kernels)[0];
    this.reference = referenceScope.create(config, options);
  }

  get #all() {
    return [...Object.values(this.kernels), this.reference];
  }

  /** @param {any} state */
  loadStateDict(state) {
    for (const model of this.#all) model.loadStateDict(state);
  }

  dispose() {
    for (const model of this.#all) model.dispose();
  }
}

/** @param {import('../../web/lib/index.js').Results} results */
function written({ rounding_error, ...tensors }) {
  return { tensors: file.addAll(/** @type {Tensors} */ (tensors)), ...(rounding_error && { rounding_error }) };
}

/** @param {Float32Array} a @param {Float32Array} b */
function sameBits(a, b) {
  return Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(Buffer.from(b.buffer, b.byteOffset, b.byteLength));
}

/**
 * One forward pass by the reference executor and by every build's kernels. Builds whose every bit agrees
 * share one entry, "simd, simd-threads".
 * @param {Models} models
 * @param {Tensors} inputs
 */
function results(models, inputs) {
  const groups = new Groups();
  for (const [name, model] of Object.entries(models.kernels)) {
    const whole = model.forward(inputs);
    groups.add(name, whole);
    if ('weights' in whole) groups.add(`${name} without weights`, model.forward(inputs, { need_weights: false }));
  }
  return { reference: written(models.reference.forward(inputs, { reference: true })), ...groups.written() };
}

/** Results of several builds: those of which every bit agrees are written once. */
class Groups {
  /** @type {{names: string[], results: any}[]} */
  #groups = [];

  /** @param {string} name @param {any} one */
  add(name, one) {
    const same = this.#groups.find(
      ({ results }) =>
        Object.keys(results).length === Object.keys(one).length &&
        Object.entries(results).every(([result, tensor]) =>
          sameBits(/** @type {any} */ (tensor).data, one[result].data)
        )
    );
    same ? same.names.push(name) : this.#groups.push({ names: [name], results: one });
  }

  written() {
    return Object.fromEntries(this.#groups.map(({ names, results }) => [names.join(', '), written(results)]));
  }
}

/**
 * Every tensor between the steps, by the reference executor and by every build's kernels.
 * @param {Models} models
 * @param {Tensors} inputs
 * @param {string[]} tensors their names
 */
function between(models, inputs, tensors) {
  const groups = new Groups();
  for (const [name, model] of Object.entries(models.kernels))
    groups.add(name, model.forward(inputs, { tensors }).tensors);
  const reference = models.reference.forward(inputs, { tensors, reference: true }).tensors;
  return { reference: written(reference), ...groups.written() };
}

const CELLS = 2; // of each attention of a layer

/**
 * Some cells of the attention weights, explained by every build, with the names by which forward() returns the tensors
 * of their layer.
 * @param {Models} models
 * @param {Tensors} inputs
 * @param {import('../../web/lib/index.js').Estimate & import('../../web/lib/types.js').EstimateNames} estimate
 */
function explained(models, inputs, { steps, shapes, tensors, results }) {
  const softmaxes = steps.filter(({ op }) => op === 'softmax');
  const several = results.filter(({ weights }) => weights).length > 1;
  return softmaxes.flatMap(({ output, inputs: [scores], shape, axes }) =>
    Array.from({ length: CELLS }, () => {
      const repeat = draw.below(tensors[output].length);
      const layer = tensors[output][repeat].match(/\.(\d+)\./)?.[1];
      const place = shape.map((size) => draw.below(size));
      const named = axes.map((axis, d) => [axis === 'position' ? 'key' : axis, place[d]]);
      const at = {
        ...Object.fromEntries(named),
        ...(layer !== undefined && { layer: Number(layer) }),
        ...(several && { attention: output })
      };
      const nameOf = (/** @type {string[]} */ all) => (layer === undefined ? all.at(-1) : (all[repeat] ?? all[0]));
      const names = Object.fromEntries(Object.entries(tensors).map(([name, all]) => [name, nameOf(all)]));
      const masked = Object.keys(tensors).filter((name) => !(name in shapes));
      const cells = Object.entries(models.kernels).map(([build, model]) => [
        build,
        model.explain(/** @type {any} */ (inputs), /** @type {any} */ (at))
      ]);
      const mine = masked[softmaxes.findIndex((one) => one.output === output)];
      return { softmax: output, scores, masked: mine, place, names, cells: Object.fromEntries(cells) };
    })
  );
}

/** The gradients in one list: no two of an input, a parameter and what a step makes are called alike. */
const together = (/** @type {any} */ { inputs, parameters, tensors }) => ({ ...inputs, ...parameters, ...tensors });

/**
 * One backward pass, of random gradients by all results.
 * @param {Models} models
 * @param {Tensors} inputs
 * @param {string[]} names of tensors between the steps: by those that have a gradient, it is asked for too
 */
function gradients(models, inputs, names) {
  const { first } = models;
  const given = Object.fromEntries(
    Object.entries(first.forward(inputs)).map(([name, { shape }]) => [
      name,
      scope.randn(shape, { seed: draw.below(2 ** 32) })
    ])
  );
  const tensors = names.filter((name) => hasGradient(first, inputs, given, name));
  const groups = new Groups();
  for (const [name, model] of Object.entries(models.kernels))
    groups.add(name, together(model.backward(inputs, given, { tensors })));
  const reference = written(together(models.reference.backward(inputs, given, { tensors, reference: true })));
  return { given: file.addAll(given), results: { reference, ...groups.written() } };
}

/** Not of a constant table by which nothing is moved. */
function hasGradient(
  /** @type {Model} */ model,
  /** @type {Tensors} */ inputs,
  /** @type {Tensors} */ given,
  /** @type {string} */ name
) {
  try {
    model.backward(inputs, /** @type {any} */ (given), { tensors: [name] });
    return true;
  } catch (error) {
    if (/** @type {any} */ (error).field !== 'tensors') throw error;
    return false;
  }
}

/**
 * Random tensors for the inputs that are not optional; those of a third of all seeds are positive for the most part, so
 * that sums do not cancel.
 * @param {Draw} draw @param {import('../../web/lib/index.js').Estimate} estimate @param {number} seed
 */
function randomInputs(draw, estimate, seed) {
  const required = estimate.inputs.filter(({ optional }) => !optional);
  const offset = seed % 3 === 0 ? 2 : 0;
  const floats = (/** @type {any} */ shape, /** @type {number} */ own) => {
    const { data } = scope.randn(shape, { seed: own % 2 ** 32 });
    return { data: data.map((number) => number + offset), shape };
  };
  return Object.fromEntries(
    required.map(({ name, shape, limit }, i) => [name, limit ? ids(draw, shape, limit) : floats(shape, seed + i)])
  );
}

/**
 * All masks of a layer, but two of a large one, drawn: each takes the reference executor as long as the layer itself.
 * @param {ReturnType<typeof masks>} all @param {number} macs
 */
function someMasks(all, macs) {
  const left = Object.entries(all);
  while (macs > LARGE_MACS && left.length > 2) left.splice(draw.below(left.length), 1);
  return left;
}

/** What a step of training costs, by a loss that takes any result. @param {any} config */
const trainingOf = (config) =>
  scope.estimate(config, { steps: false, training: { loss: 'mse_loss', optimizer: 'adam' } }).training;

/** @param {object} config @param {number} seed @param {boolean} whole with every tensor between the steps */
function writeCase(config, seed, whole) {
  const any = /** @type {any} */ (config);
  const estimate = scope.estimate(any);
  const inputs = randomInputs(draw, estimate, seed);
  const models = new Models(any, { seed });
  const { first } = models;
  const state = first.stateDict();
  const places = file.addAll(inputs);
  const listed = scope.estimate(any, { tensors: true });
  const names = Object.values(listed.tensors).flat();
  const made = Object.keys(listed.shapes).flatMap((name) => listed.tensors[name]);
  const more = (/** @type {Tensors} */ given) => ({
    gradients: gradients(models, given, whole ? made : []),
    ...(whole && { between: between(models, given, names), explained: explained(models, given, listed) })
  });

  const runs = /** @type {any[]} */ ([
    { name: 'plain', inputs: places, results: results(models, inputs), ...more(inputs) }
  ]);
  for (const slot of estimate.inputs.filter(({ optional }) => optional)) {
    let last = inputs;
    for (const [name, mask] of someMasks(
      masks(draw, broadcast(draw, slot.shape), slot.only_hides ?? false),
      estimate.macs
    )) {
      const masked = { ...inputs, [slot.name]: mask };
      runs.push({
        name: `${slot.name}: ${name}`,
        inputs: { ...places, [slot.name]: file.add(mask) },
        results: results(models, masked)
      });
      // Added to the lowest numbers, scores vanish in float32: nothing is left of their gradients.
      if (!name.endsWith('lowest numbers')) last = masked;
    }
    Object.assign(
      runs.findLast((run) => !run.name.endsWith('lowest numbers')),
      more(last)
    );
  }
  const rounded = Object.fromEntries(FORMATS.map((round) => [round, written(first.forward(inputs, { round }))]));
  const loaded = [writeOtherSeed(any, models, inputs, places, seed)];
  if (hasExactScores(estimate)) loaded.push(writeHugeScores(models, inputs, state));
  models.dispose();
  return {
    config,
    seed,
    estimate,
    training: estimate.parameters > 0 && estimate.config.dtype !== 'int8' ? trainingOf(any) : null,
    pytorch: scope.pytorch(any, { mask: true }),
    module_only: scope.pytorch(any, { mask: true, self_check: false }),
    unmasked: scope.pytorch(any),
    state: file.addAll(state),
    runs: [...runs, ...loaded],
    rounded
  };
}

/**
 * The weights of another seed, and vectors of no seed, loaded: a run must use them, and no packed copy of the old ones.
 */
function writeOtherSeed(
  /** @type {any} */ config,
  /** @type {Models} */ models,
  /** @type {Tensors} */ inputs,
  /** @type {object} */ places,
  /** @type {number} */ seed
) {
  const other = scope.create(config, { seed: (seed + 1) % 2 ** 32 });
  const state = withVectors(draw, other.stateDict());
  other.dispose();
  models.loadStateDict(state);
  return {
    name: 'loaded from another seed',
    inputs: places,
    state: file.addAll(state),
    results: results(models, inputs)
  };
}

// What keeps integers exact, or close enough for the scores that follow; and what may come after them. Norms and
// rotations turn integers into numbers that every implementation rounds in its own way.
const EXACT_OPS = [
  'linear',
  'matmul',
  'split_heads',
  'merge_heads',
  'add',
  'embedding',
  'scale',
  'squeeze',
  'repeat_heads',
  'append_row',
  'append_zeros',
  'tanh',
  'pair_sum',
  'pair_concat',
  'dropout',
  'softmax',
  'weighted_sum',
  'weigh',
  'mean_heads'
];

/** @param {import('../../web/lib/index.js').Estimate} estimate */
function hasExactScores({ steps }) {
  const ops = steps.map(({ op }) => op);
  return ops.includes('softmax') && ops.every((op) => EXACT_OPS.includes(op));
}

/**
 * Scores far past what exp() holds. Softmax turns an absolute error of a score into a relative one of its
 * weight, so weights and inputs are integers, whose scores every implementation computes exactly.
 */
function writeHugeScores(/** @type {Models} */ models, /** @type {Tensors} */ given, /** @type {Tensors} */ state) {
  const inputs = Object.fromEntries(
    Object.entries(given).map(([name, { data, shape }]) => [
      name,
      data instanceof Int32Array ? { data, shape } : integers(draw, shape, 1)
    ])
  );
  const weights = Object.fromEntries(
    Object.entries(state).map(([name, { shape }]) => [name, integers(draw, shape, 16)])
  );
  models.loadStateDict(weights);
  return {
    name: 'huge scores',
    inputs: file.addAll(inputs),
    state: file.addAll(weights),
    results: results(models, inputs)
  };
}

function writeCases() {
  const layers = scope.layers().filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const drawn = layers.flatMap((layer) => {
    const cells = layer.fields.find(({ name }) => name === 'cell')?.choices?.length ?? 1;
    const count = gate ? counts.configs : counts.configs * cells;
    // Names of tensors between the steps are those of a run: where there can be none, the config is refused.
    const own = configs(draw, layer, count, gate, (config) => scope.estimate(config, { tensors: true }));
    const each = Math.ceil(own.length / counts.between);
    return own.map((config, i) => ({ config, whole: i % each === 0 }));
  });
  const cases = drawn.map(({ config, whole }, i) => writeCase(config, SEEDS[i] ?? draw.below(2 ** 32), whole));
  return layers.flatMap(({ name }) => {
    const own = cases.filter(({ config }) => config.layer === name);
    const packed = own.filter(({ estimate }) => estimate.parameters > 0).slice(0, counts.packed);
    return own.map((one) => (packed.includes(one) ? { ...one, packed: writePacked(one, packed.indexOf(one)) } : one));
  });
}

/**
 * The file of a case's weights, with a header whose bytes are more than its letters.
 * @param {any} one @param {number} at
 */
function writePacked({ config, seed }, at) {
  const model = scope.create(config, { seed });
  const metadata = { format: 'pt', layer: config.layer, data: JSON.stringify({ classes: ['é', '数', '"'] }) };
  const name = `${config.layer}-${at}.safetensors`;
  mkdirSync(join(directory, 'packed'), { recursive: true });
  writeFileSync(join(directory, 'packed', name), packSafetensors(model.stateDict(), metadata));
  model.dispose();
  return { name, metadata };
}

/** Every length at which PyTorch changes its way, several dimensions, and long ones. */
function writeRandn() {
  const shapes = Array.from({ length: 40 }, (_, i) => [i + 1]);
  shapes.push([3, 5], [4, 4], [2, 3, 7], [1, 1, 17], [1000], [65537], [100, 1001], [1000003]);
  const seeds = [0, 1, 42, 2 ** 32 - 1, 2 ** 32 + 7, 2 ** 53 - 1];
  return shapes.flatMap((shape, i) =>
    seeds
      .filter((_, s) => (shape.length === 1 && i < 40) || s === i % seeds.length)
      .map((seed) => ({ seed, values: file.add(scope.randn(shape, { seed })) }))
  );
}

/** On both sides of the limit from which on PyTorch draws 64 bits for each. */
function writeRandint() {
  return [1, 2, 10, 50257, 2 ** 28 - 1, 2 ** 28, 2 ** 31].map((high, i) => ({
    high,
    seed: SEEDS[i],
    values: [...scope.randint(high, [1000], { seed: SEEDS[i] }).data]
  })); // past 2^24 no float32
}

/** Floats of any sign and exponent: random bits, and the neighbourhood of each format's edges. */
function probes() {
  const bits = Uint32Array.from({ length: 20000 }, () => draw.below(2 ** 32));
  const edges = [
    0,
    1,
    1 + 2 ** -8,
    1 + 3 * 2 ** -8,
    1 + 2 ** -11,
    1 + 3 * 2 ** -11,
    65504,
    65519,
    65519.996,
    65520,
    65536,
    2 ** -14,
    2 ** -24,
    2 ** -25,
    3 * 2 ** -25,
    2 ** -26,
    2 ** -126,
    2 ** -149,
    3.3895e38,
    3.4e38
  ].flatMap((edge) => [edge, -edge]);
  const floats = Float32Array.from([...new Float32Array(bits.buffer), ...edges]);
  return floats.filter((number) => Number.isFinite(number));
}

/** A linear scorer that returns its scores, run on `hidden_states` with `weight`, rounded to each format. */
function roundedScores(/** @type {Float32Array} */ weight, /** @type {Float32Array} */ hidden_states) {
  const [hidden_size, seq_len] = [weight.length, hidden_states.length / weight.length];
  const config = { layer: 'linear_scorer', batch_size: 1, seq_len, hidden_size, bias: false, output: 'scores' };
  const model = scope.create(/** @type {any} */ (config));
  model.loadStateDict({ 'score.weight': { data: weight, shape: [1, hidden_size] } });
  const inputs = { hidden_states: { data: hidden_states, shape: [1, seq_len, hidden_size] } };
  const scores = FORMATS.slice(0, 2).map((round) => [round, file.add(model.forward(inputs, { round }).output)]);
  model.dispose();
  return Object.fromEntries(scores);
}

/**
 * What rounding leaves of single numbers: one feature with the weight 1 scores its own rounded value, and
 * the rows of an identity matrix score the rounded weights.
 */
function writeRounding() {
  const values = probes();
  const weights = values.filter((value) => Math.abs(value) < 65504).slice(-256); // no infinity times zero
  const identity = Float32Array.from({ length: weights.length ** 2 }, (_, i) => Number(i % (weights.length + 1) === 0));
  const flat = (/** @type {Float32Array} */ data) => file.add({ data, shape: [1, data.length, 1] });
  return [
    { what: 'input', values: flat(values), rounded: roundedScores(Float32Array.of(1), values) },
    { what: 'weight', values: flat(weights), rounded: roundedScores(weights, identity) }
  ];
}

/** Configs whose figures the project promises; test_figures.py says which. Estimated, not run. */
function writeFigures() {
  const figures = {
    linear: { layer: 'linear_scorer' },
    linear_without_bias: { layer: 'linear_scorer', bias: false },
    linear_scores: { layer: 'linear_scorer', output: 'scores' },
    additive: { layer: 'additive_scorer', attn_dim: 128 },
    additive_without_bias: { layer: 'additive_scorer', attn_dim: 128, bias: false },
    additive_scores: { layer: 'additive_scorer', attn_dim: 128, output: 'scores' },
    multihead: { layer: 'multihead_attention', batch_size: 2, num_heads: 12 }
  };
  const sizes = { batch_size: 32, seq_len: 128, hidden_size: 768 };
  return Object.fromEntries(
    Object.entries(figures).map(([name, config]) => [
      name,
      scope.estimate(/** @type {any} */ ({ ...sizes, ...config }))
    ])
  );
}

/** What a Hugging Face file is sized to: published models, and random ones of each family. Estimated, not run. */
function writeFamilies() {
  const own = drawOf(1);
  const layers = scope.layers().filter(({ fields }) => fields.some(({ name }) => name === 'past_len'));
  const sizes = (/** @type {string} */ layer) =>
    lengths(
      own,
      layers.some(({ name }) => name === layer)
    );
  const fixed = Object.entries(published).map(([name, hf]) => sized(name, hf, {}));
  const random = variants(own, counts.variants).map(({ name, hf }) =>
    sized(name, hf, sizes(fromHuggingFace(hf).config.layer))
  );
  return [...fixed, ...random];
}

/** @param {string} name @param {Record<string, any>} hf @param {object} sizes that the file does not say */
function sized(name, hf, sizes) {
  const { config, parameters, kv_cache } = scope.estimate({ ...fromHuggingFace(hf).config, ...sizes });
  return { name, hf, config, parameters, kv_cache };
}

/** Decoders of which a file names the class without a head over the vocabulary. */
function writeHeadless() {
  const own = drawOf(1);
  const named = variants(own, 1).map(({ name, hf }) => ({ name, hf: { ...hf, architectures: ['TheModel'] } }));
  // One position, which every file has.
  return named
    .map(({ name, hf }) => sized(name, hf, { seq_len: 1 }))
    .filter(({ config }) => config.layer === 'decoder');
}

/** Files whose KV cache is another in transformers than here, which a key has to say. */
const writeOtherCaches = () =>
  Object.entries(otherCaches).map(([name, hf]) => ({
    ...sized(name, hf, { batch_size: 2, seq_len: 40, past_len: 0 }),
    differs: fromHuggingFace(hf)
      .keys.filter(({ differs }) => differs)
      .map(({ key }) => key)
  }));

/** The defaults that stand in where a file leaves everything out. */
function writeFamilyDefaults() {
  const files = modelTypes.map((model_type) => ({ model_type }));
  const windows = ['qwen2', 'qwen3'].map((model_type) => ({ model_type, use_sliding_window: true }));
  return [...files, ...windows].map((hf) => {
    const defaults = fromHuggingFace(hf).keys.filter(({ use }) => use === 'defaulted');
    return { hf, defaults: defaults.map(({ key, value }) => [key, value]) };
  });
}

/** Cases for single classes of transformers: run without a mask and with one. */
function writePeers() {
  const own = drawOf(2);
  return Object.entries(peers).flatMap(([peer, config]) =>
    Array.from({ length: counts.peers }, () => writePeer(own, peer, config(own)))
  );
}

/** @param {Draw} draw @param {string} peer @param {object} config */
function writePeer(draw, peer, config) {
  const [any, seed] = [/** @type {any} */ (config), draw.below(2 ** 32)];
  const estimate = scope.estimate(any);
  const inputs = randomInputs(draw, estimate, seed);
  const open = Object.fromEntries(
    estimate.inputs.filter(({ optional }) => optional).map(({ name, shape }) => [name, openMask(draw, shape)])
  );
  const models = new Models(any, { seed });
  const state = withVectors(draw, models.first.stateDict());
  models.loadStateDict(state);
  const places = file.addAll(inputs);
  const runs = [
    { name: 'plain', inputs: places, results: results(models, inputs) },
    { name: 'mask', inputs: { ...places, ...file.addAll(open) }, results: results(models, { ...inputs, ...open }) }
  ];
  models.dispose();
  return {
    peer,
    config: estimate.config,
    estimate,
    seed,
    pytorch: scope.pytorch(any, { mask: true }),
    state: file.addAll(state),
    runs
  };
}

/** Sequences in one pass, and in steps of several sizes. */
function writeDecodings() {
  const own = drawOf(3);
  return Array.from({ length: counts.decodings }, (_, i) => {
    const one = Object.values(scopes)[i % Object.keys(scopes).length];
    return writeDecoding(own, one, decoding(own));
  });
}

/** @param {Draw} draw @param {Attnscope} scope @param {object} config */
function writeDecoding(draw, scope, config) {
  const [any, seed] = [/** @type {any} */ (config), draw.below(2 ** 32)];
  const estimate = scope.estimate(any);
  const inputs = randomInputs(draw, estimate, seed);
  const model = scope.create(any, { seed });
  const state = withVectors(draw, model.stateDict());
  model.loadStateDict(state);
  const whole = written(model.forward(inputs));
  const chunks = STEP_SIZES.map((size) => {
    model.clearCache();
    return { size, ...writeSteps(model, inputs, any.seq_len, size) };
  });
  model.dispose();
  return {
    config: estimate.config,
    seed,
    pytorch: scope.pytorch(any),
    state: file.addAll(state),
    inputs: file.addAll(inputs),
    whole,
    chunks
  };
}

/** @param {Model} model @param {Tensors} inputs @param {number} length @param {number} size */
function writeSteps(model, inputs, length, size) {
  const positions = [];
  const steps = [];
  for (let first = 0; first < length; first = model.pastLength) {
    positions.push(first);
    const some = Object.entries(inputs).map(([name, tensor]) => [
      name,
      rows(tensor, first, Math.min(length, first + size))
    ]);
    steps.push(written(model.step(Object.fromEntries(some))));
  }
  return { positions: [...positions, model.pastLength], steps };
}

/**
 * Positions [first, end) of a tensor (B, T) or (B, T, E).
 * @param {Tensors[string]} tensor
 * @param {number} first
 * @param {number} end
 */
function rows({ data, shape: [batch, length, ...rest] }, first, end) {
  const width = rest[0] ?? 1;
  const Data = /** @type {any} */ (data.constructor);
  const part = new Data(batch * (end - first) * width);
  for (let b = 0; b < batch; ++b) {
    part.set(data.subarray((b * length + first) * width, (b * length + end) * width), b * (end - first) * width);
  }
  return { data: part, shape: [batch, end - first, ...rest] };
}

/** Models of transformers, from their own files and with their own weights. */
function writeCheckpoints() {
  const listed = JSON.parse(readFileSync(join(directory, 'checkpoints.json'), 'utf8'));
  return listed.map((/** @type {{name: string, folder: string}} */ { name, folder }) => ({
    name,
    folder,
    ...writeCheckpoint(readCheckpoint(join(directory, 'checkpoints', folder)))
  }));
}

/** @param {ReturnType<typeof readCheckpoint>} checkpoint */
function writeCheckpoint({ hf, state: own, inputs: { lengths, ...inputs } }) {
  const { config: imported, keys } = fromHuggingFace(hf);
  const [batch_size, seq_len] = Object.values(inputs)[0].shape;
  const config = /** @type {any} */ ({ ...imported, batch_size, seq_len });
  const { state, isRenamed, parameters } = adapted(hf.model_type, own, config);
  const models = new Models(config);
  models.loadStateDict(state);
  const places = file.addAll(inputs);
  const runs = [{ name: 'whole', inputs: places, results: results(models, inputs) }];
  if (lengths && config.layer === 'encoder') {
    const mask = paddingMask(lengths.data, seq_len);
    runs.push({
      name: 'padded',
      inputs: { ...places, mask: file.add(mask) },
      results: results(models, { ...inputs, mask })
    });
  }
  const chunks =
    config.layer === 'encoder'
      ? []
      : STEP_SIZES.map((size) => {
          const model = Object.values(models.kernels)[size % Object.keys(models.kernels).length];
          model.clearCache();
          return { size, ...writeSteps(model, inputs, seq_len, size) };
        });
  models.dispose();
  return {
    model_type: hf.model_type,
    renamed: isRenamed,
    differs: keys.filter(({ differs }) => differs).map(({ key, differs }) => [key, differs]),
    config,
    estimate: scope.estimate(config),
    seed: 0,
    pytorch: scope.pytorch(config, { mask: true }),
    state: file.addAll(parameters),
    lengths: lengths && [...lengths.data],
    runs,
    chunks
  };
}

/** (B, 1, 1, S): every query sees the tokens of its sequence. @param {Int32Array} lengths @param {number} length */
const paddingMask = (lengths, length) => ({
  data: Uint8Array.from({ length: lengths.length * length }, (_, i) =>
    Number(i % length < lengths[Math.floor(i / length)])
  ),
  shape: [lengths.length, 1, 1, length]
});

/** What the page says that PyTorch gives for a run, beside what it shows of it. */
function writeSnippets() {
  return snippets(scope).map(({ output, ...snippet }) => ({ ...snippet, output: file.add(output) }));
}

/** What is of no single layer's config. */
const writeRest = async () => ({
  randn: writeRandn(),
  randint: writeRandint(),
  rounding: writeRounding(),
  figures: writeFigures(),
  families: writeFamilies(),
  family_defaults: writeFamilyDefaults(),
  headless: writeHeadless(),
  other_caches: writeOtherCaches(),
  model_types: { version: TRANSFORMERS, read: Object.keys({ ...families, ...sameClass }), refused: refusedTypes },
  peers: writePeers(),
  decodings: writeDecodings(),
  trainings: trainings(scope, file, gate),
  run_scripts: await runScripts(scope),
  lab_runs: await labRuns(scope, gate),
  peaks: peaks(scope),
  long_sums: longSums(scopes, file, gate),
  checkpoints: writeCheckpoints(),
  snippets: writeSnippets(),
  presets: presetTitles,
  mask_calls: maskCalls(scope),
  demonstrations: demonstrations(scope),
  tutorial: tutorial(scope),
  guide: await guideLines()
});

const known = scope.layers().map(({ name }) => name);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no layer ${unknown.join(', ')}; there are ${known.join(', ')}`);
  process.exit(2);
}
const index = {
  builds: Object.keys(scopes),
  layers: wanted,
  gate,
  cases: writeCases(),
  ...(wanted.length === 0 && (await writeRest()))
};
file.close();
writeFileSync(join(directory, 'index.json'), JSON.stringify(index));
console.log(
  `${index.cases.length} configs, ${index.cases.flatMap(({ runs }) => runs).length} runs, builds: ${index.builds.join(', ')}`
);
process.exit(); // the threads of the pools would wait for work
