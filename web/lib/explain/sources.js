// Where the factors of a score come from: through steps that only move numbers, and those that make each number from
// one or two others. What a projection or a norm makes is where it ends.

import { numberAt } from './numbers.js';
import { isInterleaved } from './settings.js';

/** @typedef {import('../types.js').Step} Step */
/** @typedef {import('./attentions.js').Graph} Graph */
/** @typedef {import('./types.js').MadeNumber} MadeNumber */
/** @typedef {import('./numbers.js').Numbers} Numbers */
/**
 * @typedef {object} Kind of a step that is looked through
 * @property {(step: Step, place: number[], sources: Sources) => MadeNumber} at one of its numbers
 * @property {(step: Step, sources: Sources) => string[]} [reads] the tensors whose numbers it needs; without it those
 *   that its inputs need
 */

/** @param {Step} step */
const madeBy = ({ output, further_outputs = [] }) => [output, ...further_outputs.map(({ name }) => name)];

/** The tensors of one attention. */
export class Sources {
  #given;
  #shapes;
  /** The step that makes each tensor. @type {Map<string, Step>} */
  #makers;
  /** @type {Map<string, Numbers>} */
  #numbers = new Map();
  /** @type {Set<string>} */
  #inputs;

  /** @param {Graph} graph @param {(tensor: string) => Numbers} given what no step makes: inputs and parameters */
  constructor(graph, given) {
    this.#given = given;
    this.#shapes = graph.shapes;
    this.#makers = new Map(graph.steps.flatMap((step) => madeBy(step).map((tensor) => [tensor, step])));
    this.#inputs = new Set(graph.inputs.map(({ name }) => name));
  }

  /** What steps have made. @param {Record<string, Numbers>} numbers */
  add(numbers) {
    for (const [tensor, one] of Object.entries(numbers)) this.#numbers.set(tensor, one);
  }

  /** The step that makes a tensor, if one does. @param {string} tensor */
  maker(tensor) {
    return this.#makers.get(tensor);
  }

  /** @param {string} tensor */
  isParameter(tensor) {
    return !this.#makers.has(tensor) && !this.#inputs.has(tensor);
  }

  /** @param {string} tensor @returns {Numbers} */
  read(tensor) {
    const known = this.#numbers.get(tensor);
    if (known) return known;
    const numbers = this.#given(tensor);
    this.#numbers.set(tensor, numbers);
    return numbers;
  }

  /** @param {string} tensor */
  shape(tensor) {
    return this.#shapes[tensor] ?? this.read(tensor).shape;
  }

  /** The tensors whose numbers those of a tensor are made of. @param {string} tensor @returns {string[]} */
  needed(tensor) {
    const step = this.maker(tensor);
    const kind = step && kindOf(step);
    if (!kind) return [tensor];
    return kind.reads?.(step, this) ?? step.inputs.flatMap((input) => this.needed(input));
  }

  /** @param {string} tensor @param {number[]} place @returns {MadeNumber} */
  at(tensor, place) {
    const step = this.maker(tensor);
    return (step && kindOf(step)?.at(step, place, this)) ?? this.own(tensor, place);
  }

  /** The number that is in the tensor itself. @param {string} tensor @param {number[]} place @returns {MadeNumber} */
  own(tensor, place) {
    return { tensor, feature: featureIn(place), value: numberAt(this.read(tensor), place) };
  }
}

/** @param {readonly number[]} place */
const featureIn = (place) => place.at(-1) ?? 0;

/**
 * Made from the numbers in its place, in double precision.
 * @param {'tanh' | 'sigmoid' | 'multiply'} op @param {(...values: number[]) => number} make
 * @returns {Kind}
 */
const elementwise = (op, make) => ({
  at({ inputs, output }, place, sources) {
    const of = inputs.map((input) => sources.at(input, place));
    return { tensor: output, feature: featureIn(place), op, of, value: make(...of.map(({ value }) => value)) };
  }
});

/** @type {Kind} */
const pairSum = {
  at({ inputs: [query, key], output }, [batch, t, s, feature], sources) {
    const of = [sources.at(query, [batch, t, feature]), sources.at(key, [batch, s, feature])];
    return { tensor: output, feature, op: 'pair_sum', of, value: of[0].value + of[1].value };
  }
};

/** @type {Kind} */
const repeatHeads = {
  at({ inputs: [input], shape }, [batch, head, ...place], sources) {
    const shared = shape[1] / sources.shape(input)[1];
    return sources.at(input, [batch, Math.floor(head / shared), ...place]);
  }
};

/** @type {Kind} */
const appendZeros = {
  at({ inputs: [input], output, shape }, place, sources) {
    const isZero = place.at(-2) === Number(shape.at(-2)) - 1;
    return isZero ? { tensor: output, feature: featureIn(place), value: 0 } : sources.at(input, place);
  }
};

/** Where a part is an input, from a KV cache, which in a stack has another name for each layer: as it came out. */
const isWhole = (/** @type {Step} */ { inputs }, /** @type {Sources} */ sources) =>
  inputs.some((input) => !sources.maker(input));

/** @type {Kind} */
const concat = {
  reads: (step, sources) =>
    isWhole(step, sources) ? [step.output] : step.inputs.flatMap((input) => sources.needed(input)),
  at(step, place, sources) {
    const { inputs, output, shape } = step;
    if (isWhole(step, sources)) return sources.own(output, place);
    const dimension = shape.findIndex((size, d) => size !== sources.shape(inputs[0])[d]);
    let [part, ...others] = inputs;
    let at = place[dimension];
    while (at >= sources.shape(part)[dimension]) {
      at -= sources.shape(part)[dimension];
      [part, ...others] = others;
    }
    return sources.at(part, place.with(dimension, at));
  }
};

/** @type {Kind} */
const rotate = {
  reads: ({ inputs, output }) => [output, ...inputs],
  at(step, place, sources) {
    const [x, table] = step.inputs;
    const feature = featureIn(place);
    const half = sources.shape(table)[2] / 2;
    if (feature >= 2 * half) return sources.own(step.output, place); // as it was
    const isFirst = feature < half;
    const pair = isFirst ? feature : feature - half;
    const [first, second] = isInterleaved(step) ? [2 * pair, 2 * pair + 1] : [pair, pair + half];
    const from = (/** @type {number} */ at) => sources.own(x, place.with(-1, at));
    const [cos, sin] = [0, 1].map((part) => sources.own(table, [part, Number(place.at(-2)), feature]).value);
    return {
      ...sources.own(step.output, place),
      op: 'rotate',
      of: isFirst ? [from(first), from(second)] : [from(second), from(first)],
      cos,
      sin: isFirst ? -sin : sin
    };
  }
};

/** @type {Record<string, Kind>} */
const KINDS = {
  tanh: elementwise('tanh', Math.tanh),
  sigmoid: elementwise('sigmoid', (x) => 1 / (1 + Math.exp(-x))),
  multiply: elementwise('multiply', (a, b) => a * b),
  pair_sum: pairSum,
  repeat_heads: repeatHeads,
  append_zeros: appendZeros,
  concat,
  rotate
};

/** @param {Step} step @returns {Kind | undefined} */
const kindOf = ({ op }) => (Object.hasOwn(KINDS, op) ? KINDS[op] : undefined);
