import { html, nothing } from 'lit';
import { WITH_MASKS } from '../../plain/aside.js';
import { formatList } from '../../plain/format.js';
import { maskArguments } from '../../plain/pytorch-source.js';
import { follows } from '../form/follows.js';
import { copyButton, saidView } from '../shared/copy-button.js';

/** @typedef {import('../../plain/store.js').Store} Store */

/** @param {Store} store */
export const filenameOf = ({ config }) => `${config.layer}.py`;

/**
 * @param {Store} store
 * @param {{ source: unknown, text: string, said?: string, selfCheck?: boolean, check?: (selfCheck: boolean) => void,
 *   take?: (masks: boolean) => void, copy?: () => void, download?: () => void }} panel `source`: `text` as it is shown
 */
export function codeView(store, { source, text, said = '', selfCheck = false, check, take, copy, download }) {
  const masks = maskArguments(store.estimate);
  const takesMasks = store.aside.code === WITH_MASKS;
  return html`
  <div class="panel-head">
    <h2 id="pytorch-title" class="panel-title">PyTorch <span class="panel-note">${text.split('\n').length - 1} lines</span></h2>
    <div class="actions">
      ${masks.length ? switchView('With mask', 'mask-meaning', takesMasks, take) : nothing}
      ${switchView('With self-check', 'self-check-meaning', selfCheck, check)}
      ${copyButton({ label: 'Copy PyTorch', said, copy })}
      <button class="button" type="button" @click=${download}>Download ${filenameOf(store)}</button>
      ${saidView(said)}
    </div>
  </div>
  ${masks.length ? html`<p class="note" id="mask-meaning">${maskSentence(store, masks, takesMasks)}</p>` : nothing}
  <p class="note" id="self-check-meaning">The self-check draws inputs from a seed, holds what PyTorch counts against
    these figures, and prints OK or each MISMATCH: download the file and run it.</p>
  <pre class="code" tabindex="0" role="group" aria-labelledby="pytorch-title"><code>${source}</code></pre>`;
}

/** @param {string} label @param {string} meaning @param {boolean} on @param {(on: boolean) => void} [turn] */
const switchView = (label, meaning, on, turn) => html`
  <label class="switch-label">${label}
    <input class="switch" type="checkbox" role="switch" aria-describedby=${meaning} ?checked=${on} ${follows('checked', on)}
      @change=${(/** @type {any} */ event) => turn?.(event.target.checked)}></label>`;

/** @param {Store} store @param {string[]} masks @param {boolean} takesMasks */
function maskSentence({ estimate }, masks, takesMasks) {
  if (!takesMasks)
    return html`Without a mask, padding takes its share of every sum: where texts of a batch differ in
    length, switch it on.`;
  const { shape } = estimate.inputs.find(({ optional }) => optional) ?? { shape: [] };
  const sizes = formatList([shape[0], /** @type {number} */ (shape.at(-1))]);
  return html`A tokenizer's <code>attention_mask</code> of ${sizes} hides the padding of a batch by
    ${masks.map((text, i) => html`${i ? ' and ' : ''}<code>${text}</code>`)}.`;
}
