// From the features of query and key, or of a position and a parameter, to the score.

import { placeIn } from './cell.js';
import { broadcastAt, numberAt } from './numbers.js';
import { capOf, factorOf } from './settings.js';

/** @typedef {import('../types.js').Step} Step */
/** @typedef {import('./cell.js').Cell} Cell */
/** @typedef {import('./sources.js').Sources} Sources */
/** @typedef {import('./types.js').FeatureProduct} FeatureProduct */
/** @typedef {import('./types.js').MadeNumber} MadeNumber */
/** @typedef {import('./types.js').ScoreLine} ScoreLine */

/** @param {Step[]} chain @param {Cell} cell @param {Sources} sources */
export function scoreOf([first, ...links], cell, sources) {
  const own = (/** @type {Step} */ step) => numberAt(sources.read(step.output), placeIn(step, cell));
  const isOfPosition = first.op === 'each_sequence';
  const products = isOfPosition ? [] : productsOf(first, cell, sources);
  const by = isOfPosition ? own(first) : biasOf(first, sources);
  const sum = by === undefined ? own(first) : products.reduce((total, { product }) => total + product, 0);
  /** @type {ScoreLine[]} */
  const lines = by === undefined ? [] : [{ op: 'bias', tensor: first.output, by, value: own(first) }];
  for (const link of links) {
    if (link.op !== 'squeeze') lines.push({ ...linkOf(link, cell, sources), tensor: link.output, value: own(link) });
  }
  const score = lines.at(-1)?.value ?? sum;
  return { products: products.sort((a, b) => Math.abs(b.product) - Math.abs(a.product)), sum, lines, score };
}

/** What a linear layer adds to the sum of its products. @param {Step} multiply @param {Sources} sources */
const biasOf = ({ inputs }, sources) => (inputs.length > 2 ? numberAt(sources.read(inputs[2]), [0]) : undefined);

/** @param {Step} multiply @param {Cell} cell @param {Sources} sources @returns {FeatureProduct[]} */
function productsOf(multiply, cell, sources) {
  const [x, y] = multiply.inputs;
  const place = placeIn(multiply, cell).slice(0, -1);
  const right = rightOf(multiply, cell, sources);
  return Array.from({ length: Number(sources.shape(x).at(-1)) }, (_, feature) => {
    const left = sources.at(x, [...place, feature]);
    const other = sources.at(y, right(feature));
    // a parameter's features lie along either dimension
    const of = { left, right: { ...other, feature: sources.isParameter(y) ? feature : other.feature } };
    return { feature, ...of, product: left.value * other.value };
  });
}

/**
 * Where the factors are that belong to the features: in a row of a linear layer's weight, a column of a matrix, or the
 * key's own row.
 * @param {Step} multiply @param {Cell} cell @param {Sources} sources
 * @returns {(feature: number) => number[]}
 */
function rightOf(multiply, cell, sources) {
  if (multiply.op === 'linear') return (feature) => [0, feature];
  if (sources.isParameter(multiply.inputs[1])) return (feature) => [feature, 0];
  const place = placeIn(multiply, cell);
  return (feature) => [...place.slice(0, -2), cell.key, feature];
}

/** @param {Step} link @param {Cell} cell @param {Sources} sources @returns {Pick<ScoreLine, 'op' | 'by'>} */
function linkOf(link, cell, sources) {
  if (link.op === 'scale') return { op: 'scale', by: factorOf(link) };
  if (link.op === 'softcap') return { op: 'softcap', by: capOf(link) };
  if (link.op === 'tanh') return { op: 'tanh' };
  if (link.op === 'multiply')
    return { op: 'scale', by: broadcastAt(sources.read(link.inputs[1]), placeIn(link, cell)) };
  const added = link.inputs[1];
  const maker = sources.maker(added)?.op;
  const op = maker === 'alibi_bias' || maker === 'relative_bias' ? maker : 'bias';
  return { op, by: broadcastAt(sources.read(added), placeIn(link, cell)) };
}
