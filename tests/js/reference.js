// The build with the reference loops, for tests that hold kernels against them: others need not open it.

import { open } from '../../web/lib/index.js';
import { variants, withModel } from './support.js';

/** Runs the reference loops too. */
export const referenceScope = await open({ build: 'reference' });

/** Each build's kernels, and the reference loops, with the options of `forward` that choose them. */
export const executors = [
  ...variants.map(({ name, scope: on }) => ({ name, on, options: {} })),
  { name: 'reference loops', on: referenceScope, options: { reference: true } }
];

/** The results of `forward` by the reference loops. */
export function byReference(config, inputs, { seed = 0, ...options } = {}) {
  const run = (model) => model.forward(inputs, { ...options, reference: true });
  return withModel(config, run, { seed, on: referenceScope });
}
