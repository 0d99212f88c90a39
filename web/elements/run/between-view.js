// The choice of a tensor between the steps, and the line of PyTorch that makes it.

import { html, nothing } from 'lit';
import { tensorBetween, tensorsBetween } from '../../plain/between.js';
import { follows } from '../form/follows.js';

/** @param {any} estimate @param {string} chosen @param {(name: string) => void} choose */
export function betweenView(estimate, chosen, choose) {
  const groups = tensorsBetween(estimate);
  if (groups.length === 0) return nothing;
  const shown = tensorBetween(estimate, chosen);
  const option = (/** @type {string} */ name) =>
    html`<option value=${name} ?selected=${name === shown?.name} ${follows('selected', name === shown?.name)}>${name}</option>`;
  return html`
    <label class="inputs-choice between">Between the steps <select name="tensor" title="Queries, keys, scores, any tensor that a step makes, with the numbers of this run" @change=${(/** @type {any} */ event) => choose(event.target.value)}>
      <option value="" ?selected=${!shown} ${follows('selected', !shown)}>none</option>
      ${groups.map(({ title, tensors }) => (tensors.length > 1 ? html`<optgroup label=${title}>${tensors.map(({ name }) => option(name))}</optgroup>` : option(tensors[0].name)))}
    </select></label>
    ${shown ? html`<p class="note"><code>${shown.line}</code></p>` : nothing}`;
}
