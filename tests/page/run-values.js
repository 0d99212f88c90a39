// A small layer on the run page, and what the module gives for it in Node.

import assert from 'node:assert/strict';
import { open } from '../../web/lib/index.js';

export const SMALL = '?layer=additive_scorer&batch_size=4&seq_len=16&hidden_size=32&attn_dim=8&inputs=random';

export const config = { layer: 'additive_scorer', batch_size: 4, seq_len: 16, hidden_size: 32, attn_dim: 8 };

/** @param {import('playwright-core').Page} page */
export const weights = (page) =>
  page.locator('attnscope-heat-map').evaluate((map) => Array.from(/** @type {any} */ (map).drawn.tensor.data));

/**
 * What the module gives in Node for the configuration and seeds of the page.
 * @param {any} config
 * @param {number} seed
 * @param {Uint8Array} [mask]
 */
export async function expected(config, seed, mask) {
  const scope = await open({ threads: 1 });
  const model = scope.create(config, { seed });
  const hidden_states = scope.randn([config.batch_size, config.seq_len, config.hidden_size], { seed: seed + 1 });
  const results = model.forward({
    hidden_states,
    ...(mask && { mask: { data: mask, shape: [config.batch_size, config.seq_len] } })
  });
  model.dispose();
  return results;
}

/** @param {number[]} actual @param {ArrayLike<number>} wanted */
export function assertClose(actual, wanted) {
  const largest = actual.reduce((error, value, at) => Math.max(error, Math.abs(value - wanted[at])), 0);
  assert.ok(actual.length === wanted.length && largest < 1e-5, `largest difference ${largest}`);
}
