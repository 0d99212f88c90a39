// A layer too large to be trained here: what it needs, what there is, and the sizes that fit.

import { html, nothing } from 'lit';
import { formatBytes, formatCount } from '../../plain/format.js';

/**
 * @param {import('../../plain/limits.js').Needs} needs @param {number} limit in bytes
 * @param {(patch: Record<string, unknown>) => void} set
 */
export function needsView({ bytes, fits, offers }, limit, set) {
  if (fits) return nothing;
  const needed = Number.isFinite(bytes) ? formatBytes(bytes) : 'more than can be counted';
  const none = offers.length ? '' : ' No single size made smaller would fit: make several of them smaller.';
  return html`
    <div class="needs train-needs" role="status" data-needs>
      <p>A step of this training needs ${needed}; ${formatBytes(limit)} is the limit here.${none}</p>
      <div class="actions">${offers.map(
        ({ field, value }) =>
          html`<button class="button small" type="button" data-fit=${field} @click=${() => set({ [field]: String(value) })}>Take the largest ${field} that fits, ${formatCount(value)}</button>`
      )}</div>
    </div>`;
}
