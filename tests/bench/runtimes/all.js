// Who runs beside whom, ours first.

import { relaxed, simd } from './attnscope.js';
import { jaxJs } from './jax.js';
import { litert } from './litert.js';
import { onnxruntime } from './onnxruntime.js';
import { tfjs } from './tfjs.js';

/**
 * By our build: without relaxed SIMD we run beside who has none either.
 * @type {Record<'relaxed' | 'simd', import('./runtime.js').Runtime[]>}
 */
export const fields = { relaxed: [relaxed, onnxruntime, litert, tfjs, jaxJs], simd: [simd, onnxruntime] };

/** @param {string} name */
export function runtimeOf(name) {
  const runtime = Object.values(fields)
    .flat()
    .find((runtime) => runtime.name === name);
  if (!runtime) throw new Error(`no runtime ${name}`);
  return runtime;
}
