// Which tensor of a run is drawn, and what its dimensions are.

import { thumbnails } from './raster.js';

/**
 * @typedef {import('./raster.js').Tensor} Tensor
 * @typedef {{ tensor: Tensor, name: string, axes: string[], thumbnails: import('./raster.js').Thumbnails }} Drawn `axes` names each
 *   dimension
 */

const THUMBNAIL = 64;

/**
 * The weights where there are any, else the output, without a last dimension of one.
 * @param {{ output: Tensor, weights?: Tensor }} results @param {string} outputName what the layer calls its output @returns {Drawn}
 */
export function drawnOf({ output, weights }, outputName) {
  const name = weights ? 'weights' : outputName;
  const tensor = weights ?? squeezed(output);
  const rank = tensor.shape.length;
  const axes = name === 'weights' ? weightAxes(rank) : outputAxes(rank, tensor !== output);
  return { tensor, name, axes, thumbnails: thumbnails(tensor, THUMBNAIL) };
}

/** @param {Tensor} tensor */
const squeezed = (tensor) => (tensor.shape.length > 2 && tensor.shape.at(-1) === 1 ? { ...tensor, shape: tensor.shape.slice(0, -1) } : tensor);

/** @param {number} rank */
function weightAxes(rank) {
  if (rank <= 2) return ['batch', 'position'].slice(-rank);
  return [...numbered(rank - 4), 'batch', ...(rank > 3 ? ['head'] : []), 'query', 'key'];
}

/** @param {number} rank @param {boolean} squeezed whether its features were one */
function outputAxes(rank, squeezed) {
  const known = squeezed ? ['batch', 'position'] : rank > 2 ? ['batch', 'position', 'feature'] : ['batch', 'feature'];
  return [...numbered(rank - known.length), ...known].slice(0, rank);
}

/** @param {number} count */
const numbered = (count) => Array.from({ length: Math.max(0, count) }, (_, index) => `dimension ${index}`);
