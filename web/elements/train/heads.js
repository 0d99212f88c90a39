// The attention weights of every head of every layer, as a heat map draws them.

import { thumbnails } from '../heat-map/raster.js';

/**
 * @typedef {import('../heat-map/drawn.js').Drawn} Drawn
 * @typedef {import('../heat-map/raster.js').Tensor} Tensor
 */

const THUMBNAIL = 64;

/**
 * @param {Tensor} weights of (head, query, key), the heads of layer 0 first
 * @param {string[]} words of the positions
 * @param {number} heads in a layer
 * @returns {Drawn}
 */
export function drawnHeads(weights, words, heads) {
  const axes = ['head', 'query', 'key'];
  const drawn = { tensor: weights, name: 'weights', axes, weights: true, repeat: 1, mask: '', words };
  return { ...drawn, planes: planesOf(weights.shape[0], heads), thumbnails: thumbnails(weights, THUMBNAIL) };
}

/**
 * A row of heads for each layer; the first head of the last layer is the large one.
 * @param {number} count @param {number} heads in a layer
 */
function planesOf(count, heads) {
  const isStack = count > heads;
  const name = (/** @type {number} */ at) => {
    const head = `head ${at % heads}`;
    return isStack ? `layer ${Math.floor(at / heads)}, ${head}` : head;
  };
  return {
    names: Array.from({ length: count }, (_, at) => name(at)),
    columns: heads,
    title: isStack ? 'Every head of every layer' : 'Every head',
    chosen: count - heads
  };
}
