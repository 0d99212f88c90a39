// The held-out example as text: what the layer reads, what is right, and what it says.

import { html, nothing } from 'lit';
import { UNKNOWN } from '../../plain/train/batch.js';
import { formatThings } from '../../plain/format.js';

/** @param {import('./shown.js').Shown} shown */
export function exampleView({ task, data, example: { tokens, labels }, moment: { step, seen } }) {
  const said = seen?.said ?? [];
  const read = data.words([...tokens.data].filter((token) => token !== data.padding));
  const isDecoder = task.layer === 'decoder';
  const word = (/** @type {number} */ one) => (isDecoder ? data.words([one])[0] : data.classWord?.(one));
  const right = [...labels.data];
  const known = right.filter((label) => label !== UNKNOWN).length;
  const hits = right.filter((label, at) => label === said[at]).length;
  if (!isDecoder)
    return html`<p class="train-example" data-example>It reads <code>${read.join(' ')}</code>: the class is <b>${word(right[0])}</b>; after step ${step} the layer says <b>${word(said[0])}</b>.</p>`;
  return html`
    <p class="note train-hits">${hits} of the ${formatThings(known, 'token')} that can be known ${hits === 1 ? 'is' : 'are'} right after step ${step}.</p>
    <div class="scroller" tabindex="0" role="group" aria-label="The example as a table"><table class="table train-tokens" data-example>
      <tbody>
        <tr><th scope="row">reads</th>${read.map((text) => html`<td>${text}</td>`)}</tr>
        <tr><th scope="row">comes next</th>${right.map((label) => html`<td>${label === UNKNOWN ? html`<span class="unknown">·</span>` : word(label)}</td>`)}</tr>
        <tr><th scope="row">the layer says</th>${right.map((label, at) => html`<td class=${label === UNKNOWN ? '' : label === said[at] ? 'hit' : 'miss'}>${label === UNKNOWN ? html`<span class="unknown">·</span>` : word(said[at])}${label !== UNKNOWN && label !== said[at] ? html`<span class="hidden"> (wrong)</span>` : nothing}</td>`)}</tr>
      </tbody></table></div>`;
}
