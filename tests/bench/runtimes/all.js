// The runtimes, ours first.

import { attnscope } from './attnscope.js';
import { jaxJs } from './jax.js';
import { litert } from './litert.js';
import { onnxruntime } from './onnxruntime.js';
import { tfjs } from './tfjs.js';

/** @type {import('./runtime.js').Runtime[]} */
export const runtimes = [attnscope, onnxruntime, litert, tfjs, jaxJs];
