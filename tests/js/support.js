// What the tests share: every build with one thread and with two, seeded values, comparison.

import assert from 'node:assert/strict';
import { relaxedSimd } from 'wasm-feature-detect';
import { open } from '../../web/lib/index.js';

/** @typedef {import('../../web/lib/index.js').Config} Config */

/** Node 20 runs plain SIMD only, Node 24 relaxed SIMD as well. */
export const builds = (await relaxedSimd()) ? ['simd', 'relaxed'] : ['simd'];

/** Every build that this engine runs, with one thread and with two. */
export const variants = await Promise.all(
  builds.flatMap((build) => [1, 2].map(async (threads) => {
    const scope = await open({ build, threads });
    return { name: scope.build.name, scope };
  }))
);

/** The simplest one, for what does not depend on the build. */
export const { scope } = variants[0];

export const layers = scope.layers();

/**
 * float32 against double: a sum of n products of numbers up to 1 errs by about sqrt(n) * 2^-24, and n
 * is at most 1000 here; softmax turns the error of a score into a relative error of its weight.
 */
export const FLOAT32_TOLERANCE = 1e-5;

/** Sizes that no block of the kernels divides, and some that it does. */
export const sizes = [
  { batch_size: 1, seq_len: 1, kv_len: 1, hidden_size: 1, attn_dim: 1, num_heads: 1, head_dim: 1 },
  { batch_size: 2, seq_len: 3, kv_len: 5, hidden_size: 4, attn_dim: 3, num_heads: 2, head_dim: 3 },
  { batch_size: 3, seq_len: 7, kv_len: 2, hidden_size: 15, attn_dim: 9, num_heads: 3, head_dim: 5 },
  { batch_size: 2, seq_len: 33, kv_len: 31, hidden_size: 17, attn_dim: 8, num_heads: 17, head_dim: 17 },
  { batch_size: 1, seq_len: 65, kv_len: 64, hidden_size: 40, attn_dim: 130, num_heads: 5, head_dim: 8 },
  { batch_size: 4, seq_len: 8, kv_len: 9, hidden_size: 390, attn_dim: 7, num_heads: 6, head_dim: 16 },
  { batch_size: 2, seq_len: 257, kv_len: 130, hidden_size: 32, attn_dim: 64, num_heads: 4, head_dim: 32 }
];

/** Every layer in every size, with and without biases, for every output that it can have. */
export const configs = layers.flatMap((layer) => {
  const own = (/** @type {object} */ values) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => layer.fields.some((field) => field.name === name)));
  const choices = (/** @type {string} */ name) => layer.fields.find((field) => field.name === name)?.choices ?? [undefined];
  return sizes.flatMap((size) => choices('output').flatMap((output) => [true, false].map((bias) => (
    { layer: layer.name, ...own({ ...size, output, bias }) }
  ))));
}).filter((config, i, all) => all.findIndex((other) => JSON.stringify(other) === JSON.stringify(config)) === i);

/** A config in one line, for names of tests. */
export function nameOf(config) {
  return Object.entries(config).map(([key, value]) => (key === 'layer' ? value : `${key} ${value}`)).join(', ');
}

/** Numbers in [0, 1) that are the same everywhere (mulberry32). */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6D2B79F5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const product = (shape) => shape.reduce((count, size) => count * size, 1);

/** Seeded values in [-1, 1). */
export function randomTensor(shape, seed = 1) {
  const next = randomNumbers(seed);
  return { data: Float32Array.from({ length: product(shape) }, () => 2 * next() - 1), shape };
}

/** A mask of bytes that hides about a third and, where it has several rows, the whole last row. */
export function randomMask(shape, seed = 2) {
  const next = randomNumbers(seed);
  const data = Uint8Array.from({ length: product(shape) }, () => Number(next() > 1 / 3));
  if (data.length > shape.at(-1)) data.fill(0, data.length - shape.at(-1));
  return { data, shape };
}

/** What `forward` takes for this config; the mask only if asked for. */
export function randomInputs(config, { mask = false } = {}) {
  const inputs = scope.estimate(config).inputs.filter(({ optional }) => !optional || mask);
  return Object.fromEntries(inputs.map(({ name, shape, optional }, i) => (
    [name, optional ? randomMask(shape) : randomTensor(shape, i + 1)]
  )));
}

export function hasMask(config) {
  return scope.estimate(config).inputs.some(({ name }) => name === 'mask');
}

/** |actual - expected| <= tolerance * max(1, |expected|) for every element; NaN never passes. */
export function assertClose(actual, expected, tolerance, name = 'values') {
  assert.equal(actual.length, expected.length, `${name}: length`);
  const far = actual.findIndex((value, i) => !(Math.abs(value - expected[i]) <= tolerance * Math.max(1, Math.abs(expected[i]))));
  assert.equal(far, -1, `${name}[${far}] is ${actual[far]}, not ${expected[far]} to ${tolerance}`);
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
