// The cells of recurrent layers, written once, in operations that each runtime has its own for. Each gate is a tensor
// of its own, under its letter in PyTorch's formulas.

import { gates } from '../workloads.js';

/**
 * An operation uses its arguments up, as jax-js has it; `keep` gives one for another use.
 *
 * @typedef {object} CellOperations
 * @property {(x: any) => any} keep
 * @property {(a: any, b: any) => any} add
 * @property {(a: any, b: any) => any} sub
 * @property {(a: any, b: any) => any} mul
 * @property {(x: any) => any} sigmoid
 * @property {(x: any) => any} tanh
 * @property {(x: any, h: any) => any} sum of two products of all gates
 * @property {(product: any, count: number) => any[]} split a product of all gates into theirs
 *
 * @typedef {{ hidden: any, memory: any }} State memory: of an LSTM; a GRU has none
 */

/**
 * The hidden state after each position.
 * @param {CellOperations} ops
 * @param {import('../workloads.js').Cell} cell
 * @param {any[]} byInput for each position, the product of all gates with its input
 * @param {(hidden: any, isLast: boolean) => any} byState the product with the hidden state before a position
 * @param {State} first
 * @returns {any[]}
 */
export function hiddenStates(ops, cell, byInput, byState, first) {
  let state = first;
  return byInput.map((x, position) => {
    const h = byState(ops.keep(state.hidden), position === byInput.length - 1);
    state = nextState(ops, cell, x, h, state);
    return ops.keep(state.hidden);
  });
}

/**
 * The state after a position.
 * @param {CellOperations} ops
 * @param {import('../workloads.js').Cell} cell
 * @param {any} x the product of all gates with the input
 * @param {any} h with the hidden state
 * @param {State} state the state before it
 * @returns {State}
 */
export function nextState(ops, cell, x, h, { hidden, memory }) {
  const letters = [...gates[cell]];
  const parts = (/** @type {any} */ product) => {
    const all = ops.split(product, letters.length);
    return Object.fromEntries(letters.map((gate, i) => [gate, all[i]]));
  };
  return cell === 'lstm' ? lstm(ops, parts(ops.sum(x, h)), memory) : gru(ops, parts(x), parts(h), hidden);
}

/**
 * @param {CellOperations} ops
 * @param {Record<string, any>} sums i, f, g and o: the input's product and the hidden state's
 * @param {any} memory
 * @returns {State}
 */
function lstm(ops, { i, f, g, o }, memory) {
  const kept = ops.mul(ops.sigmoid(f), memory);
  const next = ops.add(kept, ops.mul(ops.sigmoid(i), ops.tanh(g)));
  return { memory: ops.keep(next), hidden: ops.mul(ops.sigmoid(o), ops.tanh(next)) };
}

/**
 * @param {CellOperations} ops
 * @param {Record<string, any>} x r, z and n: the input's products
 * @param {Record<string, any>} h the hidden state's
 * @param {any} hidden
 * @returns {State}
 */
function gru(ops, x, h, hidden) {
  const gate = (/** @type {string} */ name) => ops.sigmoid(ops.add(x[name], h[name]));
  const fresh = ops.tanh(ops.add(x.n, ops.mul(gate('r'), h.n)));
  const kept = ops.mul(gate('z'), ops.sub(hidden, ops.keep(fresh)));
  return { memory: undefined, hidden: ops.add(fresh, kept) };
}
