// What an operation was set to. The graph says it in the PyTorch expression of each step, which PyTorch judges.

/** @typedef {import('../types.js').Step} Step */

/** By what `products * 64 ** -0.5` multiplies. @param {Step} step */
export function factorOf({ pytorch }) {
  const [, base, root] = matched(pytorch, / \* ([\d.e+-]+)( \*\* -0\.5)?$/);
  return root ? 1 / Math.sqrt(Number(base)) : Number(base);
}

/** Within what `torch.tanh(scaled / 30) * 30` keeps the scores. @param {Step} step */
export const capOf = ({ pytorch }) => Number(matched(pytorch, / \* ([\d.e+-]+)$/)[1]);

/**
 * @typedef {object} Band which keys a query may see, by its position
 * @property {boolean} causal
 * @property {number} window Infinity for none
 * @property {number} offset where the first query stands
 */

/** Of `causal_windowed_softmax(scores, window=3, offset=2)`. @param {Step} step @returns {Band} */
export function bandOf({ pytorch }) {
  const number = (/** @type {string} */ name) => pytorch.match(new RegExp(`\\b${name}=(-?\\d+)`))?.[1];
  return {
    causal: pytorch.startsWith('causal_'),
    window: Number(number('window') ?? Infinity),
    offset: Number(number('offset') ?? 0)
  };
}

/** Whether pairs of features stand side by side, or half of them away. @param {Step} step */
export const isInterleaved = ({ pytorch }) => pytorch.startsWith('rotate_interleaved(');

/** @param {string} text @param {RegExp} pattern */
function matched(text, pattern) {
  const found = text.match(pattern);
  if (!found) throw new Error(`nothing is known of ${text}`);
  return found;
}
