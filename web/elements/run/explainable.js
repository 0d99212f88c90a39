// Which tensors of a run have cells that can be explained: attention weights, and the scores on the way to them.

import { attentionsOf, nameOf } from '../../lib/explain/attentions.js';
import { resultName } from '../../plain/between.js';

/** Weights of one sequence of more numbers take longer to make again than a pointer stays on a cell. */
const MOST = 2 ** 22;

/**
 * What `model.explain` is asked besides the cell.
 * @param {any} graph an estimate with `steps` and `tensors` @param {string} name of what is drawn
 * @returns {{ attention: string, layer?: number } | null} null for what is neither weights nor scores
 */
export function explainable(graph, name) {
  const all = attentionsOf(graph);
  const result = graph.results.find((/** @type {any} */ one) => resultName(one) === name);
  if (result) {
    const one = all.findLast(
      (attention) => attention.name === result.name || attention.softmax.output === result.tensor
    );
    return one ? { attention: one.name } : null;
  }
  const one = all.find((attention) =>
    [...attention.chain.map(({ output }) => output), attention.masked, attention.softmax.output].some(
      (tensor) => nameOf(graph, attention, tensor) === name
    )
  );
  return one ? { attention: one.name, ...(one.layer === null ? {} : { layer: one.layer }) } : null;
}

/** @param {any} graph @throws {RangeError} for a layer whose weights are too many */
export function checkExplained({ steps }) {
  for (const { op, shape, axes } of steps) {
    const count = shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1);
    const each = axes[0] === 'batch' ? count / shape[0] : count;
    if (op === 'softmax' && each > MOST)
      throw new RangeError(`a sequence may have at most ${MOST} weights for that here, got ${each}`);
  }
}
