// What made tasks draw from: PyTorch's own random numbers, so that a printed script draws the same.

/** @typedef {Pick<import('../../../lib/index.js').Attnscope, 'randn' | 'randint'>} Generator */

/**
 * @typedef {object} Draws numbers of one seed, each call a stream of its own
 * @property {(...shape: number[]) => Float32Array} normal standard normal numbers
 * @property {(high: number, ...shape: number[]) => Int32Array} below integers from 0, below `high`
 * @property {(count: number) => number[]} signs −1 or 1
 */

/**
 * @param {Generator} generator
 * @param {number} seed of the first stream; the next ones are those after it
 * @returns {Draws}
 */
export function drawsOf(generator, seed) {
  let stream = seed;
  const next = () => ({ seed: stream++ });
  return {
    normal: (...shape) => generator.randn(shape, next()).data,
    below: (high, ...shape) => /** @type {Int32Array} */ (generator.randint(high, shape, next()).data),
    signs: (count) => Array.from(generator.randint(2, [count], next()).data, (bit) => 2 * Number(bit) - 1)
  };
}

/** The same in Python, for a printed script. */
export const DRAWS_PYTHON = `class Draws:
    """Random numbers of one seed, each call a stream of its own."""

    def __init__(self, seed):
        self.seed = seed

    def normal(self, *shape):
        return torch.randn(shape, generator=self.next())

    def below(self, high, *shape):
        return torch.randint(high, shape, generator=self.next())

    def next(self):
        self.seed += 1
        return torch.Generator().manual_seed(self.seed - 1)
`;
