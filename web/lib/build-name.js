/**
 * The name of a WebAssembly build, which its .wasm file has too.
 * @param {boolean} relaxed with relaxed SIMD
 * @param {number} threads
 */
export const buildName = (relaxed, threads) => (relaxed ? 'relaxed' : 'simd') + (threads > 1 ? '-threads' : '');
