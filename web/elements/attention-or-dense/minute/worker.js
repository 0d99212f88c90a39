// One of the three layers learns off the page's thread, in slices.

import { serve } from '../../../lib/worker/serve.js';
import { Learning } from '../../../plain/attention-or-dense/minute-layers.js';
import { variantNamed } from '../../../plain/attention-or-dense/variants.js';

/**
 * @typedef {import('../../../lib/index.js').Attnscope} Scope
 * @typedef {import('../../../plain/attention-or-dense/minute-layers.js').Snapshot} Snapshot
 */

/** @type {Learning | null} */
let learning = null;

/** @param {Scope} scope @param {{ name: string }} job @returns {import('./learners.js').Begun} */
function begin(scope, { name }) {
  learning = new Learning(scope, /** @type {any} */ (variantNamed(name)));
  return { untrained: learning.snapshot(), examples: learning.examples(), chance: learning.chance };
}

/** @param {Scope} _ @param {{ seconds: number }} slice @returns {Snapshot} */
function train(_, { seconds }) {
  if (!learning) throw new Error('no layer has begun to learn');
  const end = performance.now() + 1000 * seconds;
  while (!learning.done && performance.now() < end) learning.next();
  const snapshot = learning.snapshot();
  if (learning.done) learning.dispose();
  return snapshot;
}

serve({ begin, train });
