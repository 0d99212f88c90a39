// The tensor of a run that is shown: its name, what else can be shown, what can be done to its mask.

import { html, nothing } from 'lit';
import { formatShape } from '../../plain/format.js';
import { axesText, causalMask, paddedMask } from '../../plain/mask.js';
import { segments } from '../form/form.js';

/**
 * @typedef {import('../heat-map/drawn.js').Drawn} Drawn
 * @typedef {import('../../plain/mask.js').Masks} Masks
 */

const NOTES = /** @type {Record<string, string>} */ ({
  weights: 'a softmax in every row',
  cross_weights: 'over the memory; a softmax in every row',
  scores: 'before softmax, where a mask has no say yet',
  pooled: 'the first position after its tanh layer',
  mask: 'painted here, hidden cells grey',
  logits: 'a score for each word of the vocabulary'
});

/** @param {Drawn} drawn */
const noteOf = ({ name, repeat }) =>
  `, ${NOTES[name] ?? 'what the layer returns'}${repeat > 1 ? `; of the last of ${repeat} layers` : ''}`;

/** `Cross weights`. @param {string} name */
const sentence = (name) => `${name[0].toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;

/**
 * @param {Drawn} drawn the one that is shown
 * @param {import('./worker.js').Outcome} outcome
 * @param {unknown} between the choice of a tensor between the steps
 * @param {(tensor: string) => void} choose
 */
export function titleView(drawn, outcome, between, choose) {
  const { tensor, name } = drawn;
  const names = outcome.drawn.map((one) => ({ value: one.name, text: one.name }));
  return html`
    <h3>${sentence(name)} <span class="panel-note">${formatShape(tensor.shape)}${noteOf(drawn)}</span></h3>
    <div class="shown-choice">
      ${names.length > 1 ? html`<fieldset class="inline"><legend class="hidden">Show</legend>${segments('drawn', names, name, choose)}</fieldset>` : nothing}
      ${between}
    </div>`;
}

/**
 * @param {Drawn} drawn the one that is shown
 * @param {import('./worker.js').Outcome} outcome
 * @param {{ masks: Masks, stale: boolean, setMask: (name: string, mask: Uint8Array | null) => void, save: () => void }}
 *   how
 */
export const toolsView = (drawn, outcome, { masks, stale, setMask, save }) => html`
  <div class="actions shown-tools">
    ${maskButtons(drawn, outcome, masks, stale, setMask)}
    <button class="button small" type="button" @click=${save}>${drawn.name}.csv</button>
  </div>`;

/**
 * For the mask of the tensor that is shown, else the layer's first.
 * @param {Drawn} drawn @param {import('./worker.js').Outcome} outcome @param {Masks} painted @param {boolean} stale
 * @param {(name: string, mask: Uint8Array | null) => void} setMask
 */
function maskButtons({ mask: own }, { masks, drawn: all }, painted, stale, setMask) {
  const plane = masks.find((one) => one.name === own) ?? masks[0];
  if (!plane) return nothing;
  const [rows, columns] = plane.shape;
  const ofQueries = all.find(({ mask }) => mask === plane.name)?.axes.at(-1) === 'key';
  const set = (/** @type {Uint8Array | null} */ mask) => setMask(plane.name, mask);
  return html`
    <span class="panel-note" data-mask-axes>${plane.name} of ${axesText(plane)}</span>
    <button class="button small" type="button" data-action="pad" ?disabled=${stale}
      @click=${() => set(paddedMask(rows, columns, ofQueries))}>Pad the tails</button>
    ${ofQueries ? html`<button class="button small" type="button" data-action="causal" ?disabled=${stale} @click=${() => set(causalMask(rows, columns))}>Causal</button>` : nothing}
    <button class="button small" type="button" data-action="clear-mask"
      ?disabled=${stale || !painted[plane.name]} @click=${() => set(null)}>Clear the ${plane.name}</button>`;
}

/** @param {import('../heat-map/raster.js').Grid} grid */
export function gridCsv({ data, rows, columns }) {
  const lines = Array.from({ length: rows }, (_, row) => data.subarray(row * columns, (row + 1) * columns).join(','));
  return `${lines.join('\r\n')}\r\n`;
}
