// Which tensors of a run can be drawn, what their dimensions are, and which mask is painted on them.

import { openMask } from '../../plain/mask.js';
import { planes, thumbnails } from './raster.js';

/**
 * @typedef {import('./raster.js').Tensor} Tensor
 * @typedef {import('../../plain/mask.js').MaskPlane} MaskPlane
 * @typedef {{ tensor: Tensor, name: string, axes: string[], thumbnails: import('./raster.js').Thumbnails,
 *   mask: string }} Drawn `axes`
 *   names each dimension; `mask`: the mask input that has a cell for each of a plane's, '' for none
 */

const THUMBNAIL = 64;

/** What weights are called among the results, and the mask that hides their keys. */
const MASK_OF = /** @type {Record<string, string>} */ ({ weights: 'mask', cross_weights: 'memory_mask' });

/**
 * Every result, weights first; and the mask of a layer that takes one and has no weights to paint it on.
 * @param {Record<string, any>} results
 * @param {readonly { name: string, axes: readonly string[] }[]} described the results as the estimate has them
 * @param {string} outputName what the layer calls its output
 * @param {MaskPlane[]} masks
 * @returns {Drawn[]}
 */
export function drawnOf(results, described, outputName, masks) {
  const tensors = described
    .filter(({ name }) => results[name]?.shape)
    .map(({ name, axes }) => ({ name: name === 'output' ? outputName : name, axes, tensor: results[name] }));
  const distinct = tensors.filter(({ name }, index) => tensors.findLastIndex((other) => other.name === name) === index);
  const weights = distinct.filter(({ name }) => name in MASK_OF);
  const others = distinct.filter(({ name }) => !(name in MASK_OF));
  const own = weights.length
    ? []
    : masks.map(({ name, axes, shape: [rows, columns] }) => ({
        name,
        axes,
        tensor: { data: new Float32Array(openMask(rows, columns)), shape: [rows, columns] }
      }));
  return [...weights, ...others, ...own].map((one) => drawn(one, masks));
}

/**
 * @param {{ name: string, axes: readonly string[], tensor: Tensor }} result
 * @param {MaskPlane[]} masks
 * @returns {Drawn}
 */
function drawn({ name, axes, tensor }, masks) {
  const shown = name in MASK_OF ? tensor : squeezed(tensor);
  const { rows, columns } = planes(shown.shape);
  const mask = masks.find((one) => one.name === (MASK_OF[name] ?? name));
  const fits = mask && String(mask.shape) === String([rows, columns]);
  return {
    tensor: shown,
    name,
    axes: axes.slice(0, shown.shape.length),
    thumbnails: thumbnails(shown, THUMBNAIL),
    mask: fits ? mask.name : ''
  };
}

/** Without a last dimension of one. @param {Tensor} tensor */
const squeezed = (tensor) =>
  tensor.shape.length > 2 && tensor.shape.at(-1) === 1 ? { ...tensor, shape: tensor.shape.slice(0, -1) } : tensor;
