import { html } from 'lit';
import { compute, layer, notice, settings } from '../../plain/labs/kv-cache.js';
import { causalMask } from '../../plain/mask.js';
import { formatBytes, formatCount, formatShort, scientific } from '../../plain/format.js';
import { chartView, factsView, heatMap, cornerOf } from './pictures.js';

/** @typedef {ReturnType<typeof compute>} Data */

/** @param {Data} data @param {import('./labs.js').Stage} stage */
function figure({ weights, words, explain, curve, now, difference }, stage) {
  const map = { tensor: weights, name: 'weights', axes: ['head', 'query', 'key'], weights: true, words, explain };
  const mask = causalMask(words.length, words.length);
  const chart = html`${chartView(chartOf(curve, now), stage)}
        ${factsView([
          { name: 'With the cache', value: formatCount(now.kept), note: 'MACs for this token' },
          { name: 'Without', value: formatCount(now.again), note: 'MACs for this token' },
          { name: 'Kept', value: formatBytes(now.bytes), note: `${formatBytes(now.bytesPerToken)} a token` },
          { name: 'Difference', value: smallText(difference), note: 'of the two outputs, at most: rounding' }
        ])}`;
  return html`${heatMap(map, stage, { mask, paint: null }, chart)}
    <p class="note">Row by row, as the steps over the cache gave them: the last row is this token’s, the others were done
      before.</p>`;
}

/** `2.98 × 10⁻⁸`. @param {number} value */
const smallText = (value) => (value ? scientific(value, 2) : '0');

/** @param {Data['curve']} curve @param {Data['now']} now @returns {import('./pictures.js').Chart} */
const chartOf = (curve, now) => ({
  name: 'macs',
  title: 'MACs of the next token by tokens so far',
  x: 'tokens',
  across: 'log',
  up: 'log',
  now: now.length,
  text: formatShort,
  lines: [
    { label: 'without', own: false, spots: curve.map(({ length, again }) => ({ x: length, y: again })) },
    { label: 'with the cache', own: true, spots: curve.map(({ length, kept }) => ({ x: length, y: kept })) }
  ]
});

/** @type {import('./labs.js').Lab} */
export const lab = { settings, compute, notice, layer, figure, small: ({ weights }) => cornerOf(weights, 8) };
