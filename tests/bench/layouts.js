// The arrangements of numbers that runtimes want other than PyTorch's. Nothing here is timed.

/** @typedef {import('./workloads.js').Sizes} Sizes */

/**
 * @param {Float32Array} matrix (rows, columns)
 * @param {number} rows
 * @param {number} columns
 * @returns {Float32Array} (columns, rows)
 */
export function transposed(matrix, rows, columns) {
  const result = new Float32Array(matrix.length);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) result[c * rows + r] = matrix[r * columns + c];
  }
  return result;
}

/**
 * (first, second, D) as (second, first, D): heads before positions, or after them.
 * @param {Float32Array} tensor
 * @param {number} first
 * @param {number} second
 */
export function swapped(tensor, first, second) {
  const D = tensor.length / (first * second);
  const result = new Float32Array(tensor.length);
  for (let i = 0; i < first; i++) {
    for (let j = 0; j < second; j++) {
      const from = (i * second + j) * D;
      result.set(tensor.subarray(from, from + D), (j * first + i) * D);
    }
  }
  return result;
}

/** One after the other. @param {Float32Array[]} tensors */
export function joined(tensors) {
  const result = new Float32Array(tensors.reduce((length, tensor) => length + tensor.length, 0));
  let at = 0;
  for (const tensor of tensors) {
    result.set(tensor, at);
    at += tensor.length;
  }
  return result;
}

/**
 * What is added to the scores so that no query sees a later key.
 * @param {number} S
 * @returns {Float32Array} (S, S)
 */
export function causalMask(S) {
  const HIDDEN = -1e30; // finite: runtimes subtract maxima, and -infinity from itself is NaN
  const mask = new Float32Array(S * S);
  for (let t = 0; t < S; t++) mask.fill(HIDDEN, t * S + t + 1, (t + 1) * S);
  return mask;
}

/**
 * The four linear layers of nn.MultiheadAttention, weights as (out, in).
 * @param {Record<string, Float32Array>} weights
 * @param {number} E
 */
export function projectionsOf(weights, E) {
  const part = (/** @type {number} */ i) => ({
    weight: weights.in_proj_weight.subarray(i * E * E, (i + 1) * E * E),
    bias: weights.in_proj_bias.subarray(i * E, (i + 1) * E)
  });
  return {
    query: part(0),
    key: part(1),
    value: part(2),
    output: { weight: weights['out_proj.weight'], bias: weights['out_proj.bias'] }
  };
}

/**
 * Gates of a recurrent layer's weight or bias in another order.
 * @param {Float32Array} tensor (gates * units, ...)
 * @param {string} from a letter for each gate, in the tensor's order
 * @param {string} to the same letters in the order that is asked for
 */
export function reordered(tensor, from, to) {
  const length = tensor.length / from.length;
  return joined([...to].map((gate) => tensor.subarray(from.indexOf(gate) * length, (from.indexOf(gate) + 1) * length)));
}

/**
 * Runs attention head by head, so that only one matrix of scores is alive.
 * @param {Record<string, Float32Array>} inputs query, key and value of (H, S, D)
 * @param {number} H
 * @param {(inputs: Record<string, Float32Array>) => Promise<Float32Array>} run
 */
export async function headByHead(inputs, H, run) {
  const length = inputs.query.length / H;
  const result = new Float32Array(inputs.query.length);
  for (let at = 0; at < result.length; at += length) {
    const head = Object.entries(inputs).map(([name, all]) => [name, all.subarray(at, at + length)]);
    result.set(await run(Object.fromEntries(head)), at);
  }
  return result;
}
