// One cell of the attention weights, with the numbers that it is made of.

import { attentionAt, nameOf } from './attentions.js';
import { cellOf, placeIn } from './cell.js';
import { numberAt, numbersOf, rowAt } from './numbers.js';
import { averageOf, maskOf, softmaxOf, valueOf } from './row.js';
import { scoreOf } from './score.js';
import { Sources } from './sources.js';

/** @typedef {import('./attentions.js').Attention} Attention @typedef {import('./attentions.js').Graph} Graph */
/** @typedef {import('./numbers.js').Numbers} Numbers */
/** @typedef {import('./types.js').ExplainOptions} ExplainOptions */
/** @typedef {import('./types.js').Explanation} Explanation */
/**
 * @typedef {object} Run a model's
 * @property {Graph} graph of the sizes that the inputs have
 * @property {Record<string, unknown>} inputs
 * @property {(tensors: string[]) => Record<string, Numbers>} forward which returns these tensors
 * @property {() => Record<string, Numbers>} state
 */

/** @param {Run} run @param {ExplainOptions} asked that was checked @returns {Explanation} */
export function explained({ graph, inputs, forward, state }, asked) {
  const attention = attentionAt(graph, asked);
  const { name, layer, softmax, masked, chain, combine, average } = attention;
  const cell = cellOf(softmax, asked, graph.config.layer);
  const sources = sourcesOf(graph, inputs, state);
  sources.add(tensorsOf(graph, attention, sources, forward));

  const masking = softmax.inputs[1];
  const slot = graph.inputs.find(({ name }) => name === masking) ?? softmax;
  const place = placeIn(softmax, cell);
  const { exponentials, row } = softmaxOf(rowAt(sources.read(masked), place.slice(0, -1)));
  const weight = numberAt(sources.read(softmax.output), place);
  return {
    attention: name,
    layer,
    ...cell,
    ...scoreOf(chain, cell, sources),
    masked: { ...maskOf(softmax, cell, slot, inputs[masking]), value: row.scores[cell.key] },
    row,
    exponential: exponentials[cell.key],
    weight,
    averaged: average && averageOf(softmax, average, cell, sources),
    value: combine && valueOf(combine, cell, weight, sources)
  };
}

/** @param {Graph} graph @param {Run['inputs']} inputs @param {Run['state']} state */
function sourcesOf(graph, inputs, state) {
  /** @type {Record<string, Numbers> | null} */
  let parameters = null;
  return new Sources(graph, (tensor) => {
    if (Object.hasOwn(inputs, tensor)) return numbersOf(inputs[tensor]);
    parameters ??= state();
    return parameters[tensor];
  });
}

/**
 * What a run makes of what the attention is explained by, as the steps call it.
 * @param {Graph} graph @param {Attention} attention @param {Sources} sources @param {Run['forward']} forward
 * @returns {Record<string, Numbers>}
 */
function tensorsOf(graph, attention, sources, forward) {
  const { softmax, masked, chain, combine, average } = attention;
  const [multiply] = chain;
  const tensors = [
    ...multiply.inputs.slice(0, 2).flatMap((tensor) => sources.needed(tensor)),
    ...chain.flatMap(({ inputs, output }) => [output, ...inputs.slice(1)]),
    ...(combine ? [combine.output, ...sources.needed(combine.inputs[1])] : []),
    ...(average ? [average.output] : []),
    softmax.output,
    masked
  ];
  const made = [...new Set(tensors)].filter((tensor) => Object.hasOwn(graph.tensors, tensor));
  const named = (/** @type {string} */ tensor) => nameOf(graph, attention, tensor);
  const results = forward(made.map(named));
  return Object.fromEntries(made.map((tensor) => [tensor, results[named(tensor)]]));
}
