import { cellsText, compute, layer, notice, settings } from '../../plain/labs/masks.js';
import { heatMap, smallOf } from './pictures.js';

/** @typedef {ReturnType<typeof compute>} Data */

/** With −1e9 nothing is covered: what softmax makes of it is to be seen. @param {Data} data @param {import('./labs.js').Stage} stage */
function figure({ weights, words, mask, values }, stage) {
  const covers = values.hidden === 'infinity';
  const paint = (/** @type {Uint8Array} */ painted) => stage.set({ mask: 'painted', cells: cellsText(painted) });
  const map = { tensor: weights, name: 'weights', axes: ['query', 'key'], weights: true, words };
  return heatMap(map, stage, covers ? { mask, paint } : { mask: null, paint: null });
}

/** @type {import('./labs.js').Lab} */
export const lab = { settings, compute, notice, layer, figure, small: ({ weights }) => smallOf(weights, 8) };
