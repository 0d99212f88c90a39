// The layer before it has learned anything: where its heads look in the held-out example, with the weights that it
// begins with.

import { explainedIn, seenIn, weightsOfLayers } from './attention.js';
import { Random } from '../random.js';
import { STREAMS, firstExample } from './run.js';

/**
 * @typedef {import('./settings.js').Checked} Checked
 * @typedef {import('../../lib/index.js').ExplainOptions} At
 * @typedef {import('../../lib/index.js').Explanation} Explanation
 * @typedef {{ example: import('./batch.js').Batch, seen: import('./attention.js').Seen,
 *   explain: (at: At) => Explanation }} Preview `explain`: how one of its weights is made, heads counted through all
 *   layers
 */

/** What is larger is not drawn before it runs: a page that is typed into must not wait for it. */
const QUICK_BYTES = 64 * 2 ** 20;

/**
 * Null where something is wrong with the settings, and of a large layer.
 * @param {import('../../lib/index.js').Attnscope} scope @param {Checked} checked
 * @returns {Preview | null}
 */
export function previewOf(scope, { plan, data, needs }) {
  if (!plan || !data || needs.bytes > QUICK_BYTES) return null;
  const { config, settings } = plan;
  const example = firstExample(data.draw(new Random(settings.seed, STREAMS.heldOut), 1, 'held_out'));
  const inputs = { tokens: example.tokens };
  const names = weightsOfLayers(scope, config);
  /** @template Result @param {(model: import('./attention.js').Model) => Result} use */
  const untrained = (use) => {
    const model = scope.create(config, { seed: settings.seed });
    try {
      return use(model);
    } finally {
      model.dispose();
    }
  };
  return {
    example,
    seen: untrained((model) => seenIn(model, names, inputs)),
    explain: (at) => untrained((model) => explainedIn(model, names, inputs, at))
  };
}
