// What the tests share: every build with one thread and with two, seeded values, comparison.

import assert from 'node:assert/strict';
import { relaxedSimd } from 'wasm-feature-detect';
import { open } from '../../web/lib/index.js';
import { randomNumbers } from '../random.js';
import { inRange, samplesOf } from '../samples.js';
import { mended } from './rules.js';

/** @typedef {import('../../web/lib/index.js').Config} Config */

/**
 * Every build that this engine runs: Node 20 runs plain SIMD only, Node 24 relaxed SIMD as well. Or those that
 * TEST_BUILDS names, where others are tested elsewhere.
 */
export const builds = process.env.TEST_BUILDS?.split(',') ?? ((await relaxedSimd()) ? ['simd', 'relaxed'] : ['simd']);

/** Each of them with one thread and with two. */
export const variants = await Promise.all(
  builds.flatMap((build) =>
    [1, 2].map(async (threads) => {
      const scope = await open({ build, threads });
      return { name: scope.build.name, scope };
    })
  )
);

/** The simplest one, for what does not depend on the build. */
export const scope = await open({ build: 'simd', threads: 1 });

export const layers = scope.layers();

/**
 * float32 against double: a sum of n products of numbers up to 1 errs by about sqrt(n) * 2^-24, and n
 * is at most 1000 here; softmax turns the error of a score into a relative error of its weight.
 */
export const FLOAT32_TOLERANCE = 1e-5;

/**
 * What the sizes of a layer are made of, one row after the other: numbers that no block of the kernels divides, and
 * some that it does.
 */
const SIZES = [
  [1],
  [2, 3, 5, 4, 7],
  [3, 7, 2, 15, 9, 11],
  [2, 33, 31, 17, 8],
  [1, 65, 40, 17, 70],
  [4, 8, 390, 7, 33, 16],
  [1, 257, 32, 64, 48, 9]
];

/** Whether a field is a size: an integer that is always given, and not 0 by default. */
const isSize = ({ type, default: fallback }) => type === 'integer' && fallback > 0;

/** The other values of a field that is no size; one of a number. */
export function alternatives(field) {
  const { name, type, default: fallback, choices } = field;
  if (name === 'dtype' || isSize(field)) return []; // the format changes no number that runs
  if (type === 'choice') return choices.filter((choice) => choice !== fallback);
  if (type === 'boolean') return [!fallback];
  return [samplesOf(field).find((value) => value !== fallback)];
}

/** The layer in this row of sizes. A field that may be null is left to what null stands for. */
export function configOf(layer, row, changes = {}) {
  const own = layer.fields.filter(isSize).map((field, i) => {
    const { name, samples } = field;
    const value = samples ? samples[row % samples.length] : SIZES[row][i % SIZES[row].length];
    return [name, inRange(field, value) ? value : field.default];
  });
  return mended(layer, { layer: layer.name, ...Object.fromEntries(own), ...changes }, Object.keys(changes)[0]);
}

/** Every layer in every size; in two of them with each other value of each field, one at a time. */
export const configs = layers.flatMap((layer) => [
  ...SIZES.map((_, row) => configOf(layer, row)),
  ...[1, 2].flatMap((row) =>
    layer.fields.flatMap((field) => alternatives(field).map((value) => configOf(layer, row, { [field.name]: value })))
  )
]);

/** A small config of each layer. */
export const smallConfigs = layers.map((layer) => configOf(layer, 1));

/** A config in one line, for names of tests. */
export function nameOf(config) {
  return Object.entries(config)
    .map(([key, value]) => (key === 'layer' ? value : `${key} ${value}`))
    .join(', ');
}

export const product = (shape) => shape.reduce((count, size) => count * size, 1);

/** Seeded values in [-1, 1). */
export function randomTensor(shape, seed = 1) {
  const next = randomNumbers(seed);
  return { data: Float32Array.from({ length: product(shape) }, () => 2 * next() - 1), shape };
}

/** Seeded token ids below `limit`. */
function randomIds(shape, limit, seed) {
  const next = randomNumbers(seed);
  return { data: Int32Array.from({ length: product(shape) }, () => Math.floor(next() * limit)), shape };
}

/** A mask of bytes that hides about a third and, where it has several rows, the whole last row. */
export function randomMask(shape, seed = 2) {
  const next = randomNumbers(seed);
  const data = Uint8Array.from({ length: product(shape) }, () => Number(next() > 1 / 3));
  if (data.length > shape.at(-1)) data.fill(0, data.length - shape.at(-1));
  return { data, shape };
}

/** Values for one input of `forward`. */
function randomInput({ shape, optional, limit }, seed) {
  if (optional) return randomMask(shape, seed);
  return limit ? randomIds(shape, limit, seed) : randomTensor(shape, seed);
}

/** What `forward` takes for this config; masks only if asked for. */
export function randomInputs(config, { mask = false, seed = 1 } = {}) {
  const inputs = scope.estimate(config).inputs.filter(({ optional }) => !optional || mask);
  return Object.fromEntries(inputs.map((input, i) => [input.name, randomInput(input, seed + i)]));
}

/** The shapes of the masks that `forward` takes for this config, by name. */
export function masksOf(config) {
  return Object.fromEntries(
    scope
      .estimate(config)
      .inputs.filter(({ optional }) => optional)
      .map(({ name, shape }) => [name, shape])
  );
}

export function hasMask(config) {
  return Object.keys(masksOf(config)).length > 0;
}

/** A boolean mask as the floats that are added to the scores. */
export function asFloats({ data, shape }) {
  return { data: Float32Array.from(data, (byte) => (byte ? 0 : -Infinity)), shape };
}

/** The tensor spread over a larger shape, as PyTorch broadcasts. */
export function expand({ data, shape }, to) {
  const from = [...Array(to.length - shape.length).fill(1), ...shape];
  const at = (index) => {
    let source = 0;
    let rest = index;
    let stride = 1;
    for (let d = to.length - 1; d >= 0; d--) {
      if (from[d] > 1) source += (rest % to[d]) * stride;
      stride *= from[d];
      rest = Math.floor(rest / to[d]);
    }
    return data[source];
  };
  return { data: data.constructor.from({ length: product(to) }, (_, i) => at(i)), shape: to };
}

/** The results that hold weights, each with the mask that hides them. */
export function weightsIn(results) {
  return [
    ['weights', 'mask'],
    ['cross_weights', 'memory_mask']
  ]
    .filter(([name]) => name in results)
    .map(([name, mask]) => ({ name, mask, tensor: results[name] }));
}

/** A result without its weights. */
export function withoutWeights(results) {
  return Object.fromEntries(Object.entries(results).filter(([name]) => !/weights$/.test(name)));
}

/**
 * Whether query t may attend to key s by where they stand. Keys that have no place follow the others.
 * @returns {(t: number, s: number) => boolean}
 */
export function bandOf(config, name, [T, S]) {
  const full = scope.estimate(config).config;
  if (name === 'cross_weights') return () => true;
  const { past_len = 0, window: width = null, full_every = null, causal_alignment } = full;
  const causal = full.is_causal ?? ['decoder', 'latent_attention'].includes(full.layer);
  const window = full_every && full.num_layers % full_every === 0 ? null : width;
  const keys = S - Number(full.add_bias_kv ?? false) - Number(full.add_zero_attn ?? false);
  const cached = window === null ? past_len : Math.min(past_len, window - 1);
  const offset = causal_alignment === 'lower_right' ? keys - T : cached;
  return (t, s) => {
    const distance = t + offset - s;
    return s >= keys || ((!causal || distance >= 0) && (window === null || Math.abs(distance) < window));
  };
}

/** The same values with rows of dimension -2 in another order. */
export function permuted({ data, shape }, order) {
  const rows = rowsOf({ data, shape });
  const length = order.length;
  return {
    data: data.constructor.from(rows.flatMap((_, r) => [...rows[r - (r % length) + order[r % length]]])),
    shape
  };
}

/** |actual - expected| <= tolerance * max(1, |expected|) for every element; NaN never passes. */
export function assertClose(actual, expected, tolerance, name = 'values') {
  assert.equal(actual.length, expected.length, `${name}: length`);
  const far = actual.findIndex(
    (value, i) => !(Math.abs(value - expected[i]) <= tolerance * Math.max(1, Math.abs(expected[i])))
  );
  assert.equal(far, -1, `${name}[${far}] is ${actual[far]}, not ${expected[far]} to ${tolerance}`);
}

/** The same of every tensor of two results. */
export function assertSame(actual, expected, tolerance, name = 'results') {
  assert.deepEqual(Object.keys(actual), Object.keys(expected), name);
  for (const key of Object.keys(expected)) {
    assert.deepEqual(actual[key].shape, expected[key].shape, `${name}: ${key}`);
    assertClose(actual[key].data, expected[key].data, tolerance, `${name}: ${key}`);
  }
}

/** The rows of the last dimension. */
export function rowsOf({ data, shape }) {
  const length = shape.at(-1);
  return Array.from({ length: data.length / length }, (_, row) => data.subarray(row * length, (row + 1) * length));
}

/** Runs `use` with a model and frees it. */
export function withModel(config, use, { seed = 0, on = scope } = {}) {
  const model = on.create(config, { seed });
  try {
    return use(model);
  } finally {
    model.dispose();
  }
}
