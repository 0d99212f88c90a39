// A random order, which PyTorch draws alike.

/**
 * So many places in random order: integers are drawn, and sorted.
 * @param {Pick<import('../../lib/index.js').Attnscope, 'randint'>} scope @param {number} count @param {number} stream
 */
export function shuffled(scope, count, stream) {
  const keys = scope.randint(2 ** 31, [count], { seed: stream }).data;
  return Array.from({ length: count }, (_, at) => at).sort((a, b) => Number(keys[a]) - Number(keys[b]) || a - b);
}
