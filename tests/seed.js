// The seed of random cases.

/**
 * The seed that a test names; at full depth the seed of the run (`npm run test:all -- --seed N`), which is another each
 * time.
 * @param {number} seed
 */
export const caseSeed = (seed) => Number(process.env.TEST_SEED ?? seed);
