// The layers that `npm run bench` times: those of the speed page, and recurrent ones, which read their weights at each
// step and so have no place on a page's roofline.

import { none, workloads as layers } from '../../web/plain/workloads.js';

/**
 * @typedef {import('../../web/plain/workloads.js').Workload} Layer
 * @typedef {'lstm' | 'gru'} Cell
 *
 * Sizes: U units, besides those of a layer.
 * @typedef {Layer['sizes'] & { U: number }} Sizes
 * @typedef {Omit<Layer, 'kind' | 'sizes'> & { kind: Layer['kind'] | Cell, sizes: Sizes }} Workload
 */

/** A letter for each gate, in the order in which PyTorch's weights have them. @type {Record<Cell, string>} */
export const gates = { lstm: 'ifgo', gru: 'rzn' };

/** @param {Workload} workload */
export const isRecurrent = ({ kind }) => kind in gates;

/** The cell of a recurrent workload. @param {Workload} workload */
export const cellOf = ({ kind }) => /** @type {Cell} */ (kind);

/** @param {Cell} cell @param {number} B @param {number} S @param {number} E @param {number} U @returns {Workload} */
function recurrent(cell, B, S, E, U) {
  const rows = gates[cell].length * U;
  return {
    name: `${cell.toUpperCase()} ${B}x${S}x${E}, ${U} units`,
    kind: cell,
    sizes: { ...none, B, S, E, U },
    causal: false,
    showsRate: true,
    config: { layer: 'recurrent_encoder', cell, batch_size: B, seq_len: S, input_size: E, hidden_size: U },
    inputs: { hidden_states: [B, S, E] },
    weights: { weight_ih_l0: [rows, E], weight_hh_l0: [rows, U], bias_ih_l0: [rows], bias_hh_l0: [rows] },
    output: [B, S, U],
    flops: 2 * B * S * rows * (E + U)
  };
}

/** @type {Workload[]} */
export const workloads = [
  ...layers.map((layer) => ({ ...layer, sizes: { ...layer.sizes, U: 0 } })),
  recurrent('lstm', 32, 128, 256, 512),
  recurrent('lstm', 1, 512, 256, 512),
  recurrent('gru', 32, 128, 256, 512),
  recurrent('gru', 1, 512, 256, 512)
];
