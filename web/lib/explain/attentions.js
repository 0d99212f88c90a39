// The attentions of a layer, found in its graph: each softmax with what leads to its scores and what its weights weigh.

import { refusal } from '../options.js';

/** @typedef {import('../types.js').Step} Step @typedef {import('../types.js').Input} Input */
/**
 * @typedef {import('../types.js').Estimate & import('../types.js').EstimateNames} Graph
 *
 * @typedef {object} Attention
 * @property {string} name of its weights among the results
 * @property {number | null} layer of a stack
 * @property {Step} softmax
 * @property {string} masked what the softmax makes of its scores, as `graph.tensors` lists it
 * @property {Step[]} chain from the products to the scores, the step that multiplies first; of scores by the position
 *   alone the step that gives them to each sequence
 * @property {Step | null} combine what multiplies values by the weights
 * @property {Step | null} average what makes the mean of all heads' weights
 * @property {number} repeat which of the times that its steps are repeated
 */

/** Steps of a score that are made of one number each. */
const LINKS = ['squeeze', 'scale', 'softcap', 'tanh', 'add', 'multiply'];

/**
 * Those of a config, in the order of their layers.
 * @param {Graph} graph @returns {Attention[]}
 */
export function attentionsOf(graph) {
  const softmaxes = graph.steps.filter(({ op }) => op === 'softmax');
  const masked = Object.keys(graph.tensors).filter((name) => !(name in graph.shapes)); // one for each softmax
  return softmaxes
    .flatMap((softmax, index) => {
      const average = userOf(graph, softmax.output, 'mean_heads');
      const common = {
        name: resultOf(graph, softmax, average),
        softmax,
        masked: masked[index],
        chain: chainTo(graph, softmax.inputs[0]),
        combine: userOf(graph, softmax.output, 'matmul', 'weighted_sum', 'weigh'),
        average
      };
      return graph.tensors[softmax.output].map((made, repeat) => ({ ...common, repeat, layer: layerOf(made) }));
    })
    .sort((a, b) => Number(a.layer) - Number(b.layer));
}

/**
 * The one that is asked for.
 * @param {Graph} graph @param {import('./types.js').ExplainOptions} at
 */
export function attentionAt(graph, at) {
  const all = attentionsOf(graph);
  const { layer: kind } = graph.config;
  if (all.length === 0) throw refusal('layer', `layer must be one with attention weights to explain, got ${kind}`);
  const names = [...new Set(all.map(({ name }) => name))];
  const name = at.attention ?? graph.results.find((result) => names.includes(result.name))?.name ?? names[0];
  if (!names.includes(name))
    throw refusal('attention', `attention must be ${names.join(' or ')}, got ${JSON.stringify(name)}`);
  const layers = all.filter((one) => one.name === name);
  if (layers[0].layer === null && at.layer !== undefined)
    throw refusal('layer', `layer must be left out, for ${kind} is no stack of layers, got ${at.layer}`);
  const found = at.layer === undefined ? layers.at(-1) : layers.find(({ layer }) => layer === at.layer);
  if (!found) throw refusal('layer', `layer must be at most ${layers.length - 1}, got ${at.layer}`);
  return found;
}

/**
 * The name under which forward() returns a tensor of this attention: that of its layer. What is made once serves all
 * layers; what attends after a stack reads what its last layer makes.
 * @param {Graph} graph @param {Attention} attention @param {string} tensor
 */
export function nameOf({ tensors }, { softmax, repeat }, tensor) {
  const names = tensors[tensor];
  const isMadeOnce = tensors[softmax.output].length === 1;
  return String(isMadeOnce ? names.at(-1) : (names[repeat] ?? names[0]));
}

/** Of `model.layers.3.weights` the 3. @param {string} made */
function layerOf(made) {
  const number = made.match(/\.(\d+)\./)?.[1];
  return number === undefined ? null : Number(number);
}

/** @param {Graph} graph @param {Step} softmax @param {Step | null} average */
function resultOf({ results }, softmax, average) {
  const all = results.filter(({ weights }) => weights);
  const made = (average ?? softmax).output;
  return (all.find(({ tensor }) => tensor === made) ?? all[0])?.name ?? softmax.output;
}

/**
 * The first step of one of these kinds that reads a tensor, or what dropout makes of it.
 * @param {Graph} graph @param {string} tensor @param {...string} ops
 * @returns {Step | null}
 */
function userOf(graph, tensor, ...ops) {
  const users = graph.steps.filter(({ inputs }) => inputs[0] === tensor);
  const found = users.find(({ op }) => ops.includes(op));
  if (found) return found;
  const dropped = users.find(({ op }) => op === 'dropout');
  return dropped ? userOf(graph, dropped.output, ...ops) : null;
}

/** @param {Graph} graph @param {string} scores @returns {Step[]} */
function chainTo(graph, scores) {
  const step = graph.steps.find(({ output }) => output === scores);
  if (!step) throw new Error(`no step makes ${scores}`);
  return LINKS.includes(step.op) ? [...chainTo(graph, step.inputs[0]), step] : [step];
}
