import { html } from 'lit';
import { cellsText, compute, layer, notice, settings } from '../../plain/labs/masks.js';
import { formatSignificant } from '../../plain/format.js';
import { sum } from '../../plain/labs/rows.js';
import { UNMASKED, cornerOf, heatMap } from './pictures.js';

/** @typedef {ReturnType<typeof compute>} Data */

/** @param {Data} data @param {import('./labs.js').Stage} stage */
function figure({ weights, words, mask, values, keys, explain }, stage) {
  // With −1e9 nothing is covered: what softmax makes of it is to be seen.
  const covers = values.hidden === 'infinity';
  const paint = (/** @type {Uint8Array} */ painted) => stage.set({ mask: 'painted', cells: cellsText(painted) });
  const map = { tensor: weights, name: 'weights', axes: ['query', 'key'], weights: true, words, explain };
  return heatMap(map, stage, covers ? { mask, paint } : UNMASKED, rowTable(values.row, words, keys));
}

/** From score to weight. @param {number} row @param {string[]} words @param {Data['keys']} keys */
const rowTable = (row, words, keys) => html`
  <h2 class="panel-title">Row ${row}, “${words[row]}”</h2>
  <div class="scroller" tabindex="0" role="group" aria-label=${`Scores and weights of row ${row}`}><table class="table">
    <thead><tr><th scope="col">key</th><th scope="col" class="num">score</th><th scope="col" class="num">after the mask</th><th scope="col" class="num">weight</th></tr></thead>
    <tbody>${keys.map(
      (
        { score, masked, isHidden, weight },
        key
      ) => html`<tr class=${isHidden ? 'hidden-key' : ''}><th scope="row">${key} ${words[key]}</th>
      <td class="num">${signed(score)}</td><td class="num">${isHidden ? hiddenText(masked) : signed(masked)}</td><td class="num">${weight === 0 ? '0' : weight.toFixed(3)}</td></tr>`
    )}</tbody>
    <tfoot><tr><th scope="row">sum</th><td></td><td></td><td class="num">${formatSignificant(Math.round(sum(keys.map(({ weight }) => weight)) * 1000) / 1000)}</td></tr></tfoot>
  </table></div>`;

const signed = (/** @type {number} */ value) => value.toFixed(3).replace('-', '−');

const hiddenText = (/** @type {number} */ value) => (Number.isFinite(value) ? `−${formatSignificant(-value)}` : '−∞');

/** @type {import('./labs.js').Lab} */
export const lab = { settings, compute, notice, layer, figure, small: ({ weights }) => cornerOf(weights, 8) };
