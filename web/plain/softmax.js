/** Shares of the classes of one example. @param {ArrayLike<number>} logits @returns {number[]} their sum is 1 */
export function softmax(logits) {
  const scores = Array.from(logits);
  const most = scores.reduce((largest, score) => Math.max(largest, score), -Infinity);
  const exponentials = scores.map((score) => Math.exp(score - most));
  const sum = exponentials.reduce((total, exponential) => total + exponential, 0);
  return exponentials.map((exponential) => exponential / sum);
}
