// Integers as PyTorch draws them on the CPU: the Mersenne Twister (Matsumoto and Nishimura 1998), taken modulo the limit.

const SIZE = 624;
const SHIFT = 397;
const WIDE = 2 ** 28;

/**
 * What `torch.manual_seed(seed); torch.randint(limit, shape)` gives, as ids of 32 bits.
 * @param {readonly number[]} shape @param {number} limit above every id @param {number} seed
 */
export function randint(shape, limit, seed) {
  const next = twister(seed);
  // From 2^28 on PyTorch draws 64 bits for each, the higher ones first.
  const draw = limit < WIDE ? () => next() % limit : () => Number(((BigInt(next()) << 32n) | BigInt(next())) % BigInt(limit));
  const count = shape.reduce((product, length) => product * length, 1);
  return { data: Int32Array.from({ length: count }, draw), shape: [...shape] };
}

/** Integers of 32 bits without sign; of a seed the low 32 bits count. @param {number} seed */
function twister(seed) {
  const state = new Uint32Array(SIZE);
  state[0] = seed % 2 ** 32;
  for (let at = 1; at < SIZE; at += 1) state[at] = Math.imul(state[at - 1] ^ (state[at - 1] >>> 30), 1812433253) + at;
  let used = SIZE;
  return () => {
    if (used === SIZE) {
      twist(state);
      used = 0;
    }
    let word = state[used++];
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  };
}

/** @param {Uint32Array} state */
function twist(state) {
  for (let at = 0; at < SIZE; at += 1) {
    const mixed = (state[at] & 0x80000000) | (state[(at + 1) % SIZE] & 0x7fffffff);
    state[at] = state[(at + SHIFT) % SIZE] ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
  }
}
