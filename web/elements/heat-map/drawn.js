// Which tensors of a run can be drawn, what their dimensions are, and which mask is painted on them.

import { resultName } from '../../plain/between.js';
import { openMask } from '../../plain/mask.js';
import { planes, thumbnails } from './raster.js';

/**
 * @typedef {import('./raster.js').Tensor} Tensor
 * @typedef {import('../../plain/mask.js').MaskPlane} MaskPlane
 * @typedef {{ name: string, axes: readonly string[], tensor: string, weights: boolean, repeat: number, mask?: string }}
 *   Described a result as the estimate has it
 * @typedef {{ tensor: Tensor, name: string, axes: string[], thumbnails: import('./raster.js').Thumbnails,
 *   weights: boolean, repeat: number, mask: string, words?: string[], marks?: import('./marks.js').Marks,
 *   planes?: Planes }} Drawn `axes` names each dimension; `weights`: each row is a softmax; `repeat`: how many layers
 *   make one, of which this is the last; `mask`: the mask input that has a cell for each of a plane's, '' for none;
 *   `words`: a text for each position of queries and keys; `marks`: positions that belong together; `planes`: where the
 *   planes have names of their own
 * @typedef {{ names: string[], columns: number, title: string, chosen: number }} Planes `columns`: how many stand
 *   beside each other; `chosen`: the one that is large at first
 */

const THUMBNAIL = 64;

/** Axes along which a sequence's positions stand, so that they have words. */
export const POSITIONS = ['query', 'key', 'position'];

/**
 * The words along the rows and the columns of what is drawn.
 * @param {Drawn} drawn
 * @returns {import('./layout.js').Words}
 */
export function wordsOf({ axes, tensor: { shape }, words }) {
  const along = (/** @type {number} */ at) =>
    words && words.length >= (shape.at(at) ?? 0) && POSITIONS.includes(axes.at(at) ?? '')
      ? words.slice(0, shape.at(at))
      : null;
  return { rows: along(-2), columns: along(-1) };
}

/**
 * Every result, attention weights first; and the mask of a layer that takes one and has no weights to paint it on. The
 * output is called as the layer's steps call it.
 * @param {Record<string, any>} results
 * @param {readonly Described[]} described the results as the estimate has them
 * @param {MaskPlane[]} masks
 * @returns {Drawn[]}
 */
export function drawnOf(results, described, masks) {
  const known = described
    .filter(({ name }) => results[name]?.shape)
    .map((one) => ({ ...one, name: resultName(one), result: results[one.name] }));
  const distinct = known.filter(({ name }, index) => known.findLastIndex((other) => other.name === name) === index);
  const weights = distinct.filter(isWeights);
  const others = distinct.filter((one) => !isWeights(one));
  const own = weights.length
    ? []
    : masks.map(({ name, axes, shape: [rows, columns] }) => ({
        name,
        axes,
        mask: name,
        weights: false,
        repeat: 1,
        result: { data: new Float32Array(openMask(rows, columns)), shape: [rows, columns] }
      }));
  return [...weights, ...others, ...own].map((one) => drawn(one, masks));
}

/** Also where they are the output itself, which a mask hides as it hides weights. @param {Described} result */
const isWeights = ({ weights, mask }) => weights || mask !== undefined;

/**
 * @param {Omit<Described, 'tensor'> & { result: Tensor }} one
 * @param {MaskPlane[]} masks
 * @returns {Drawn}
 */
function drawn({ name, axes, weights, repeat, mask: hiding, result }, masks) {
  const shown = weights || hiding ? result : squeezed(result);
  const { rows, columns } = planes(shown.shape);
  const mask = masks.find((one) => one.name === hiding);
  const fits = mask && String(mask.shape) === String([rows, columns]);
  return {
    tensor: shown,
    name,
    axes: axes.slice(0, shown.shape.length),
    thumbnails: thumbnails(shown, THUMBNAIL),
    weights: weights || (hiding !== undefined && hiding !== name),
    repeat,
    mask: fits ? mask.name : ''
  };
}

/** Without a last dimension of one. @param {Tensor} tensor */
const squeezed = (tensor) =>
  tensor.shape.length > 2 && tensor.shape.at(-1) === 1 ? { ...tensor, shape: tensor.shape.slice(0, -1) } : tensor;
