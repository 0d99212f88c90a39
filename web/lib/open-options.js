// What open() takes. A page that opens the module in a worker checks it without loading it.

import { booleanRule } from './options.js';

/** @typedef {import('./types.js').OpenOptions} OpenOptions */

const BUILDS = ['simd', 'relaxed', 'reference'];

/**
 * What each option must be, or false for a value that is.
 * @type {Record<keyof OpenOptions, (value: any) => string | false>}
 */
export const rules = {
  threads: (value) => !(Number.isInteger(value) && value >= 1 && value <= 64) && 'an integer from 1 to 64',
  sharedMemory: booleanRule,
  build: (value) => !BUILDS.includes(value) && `one of ${BUILDS.join(', ')}`,
  wasmUrl: (value) => typeof value !== 'string' && !(value instanceof URL) && 'a string or a URL'
};
