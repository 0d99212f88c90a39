/**
 * The name of a WebAssembly build, which its .wasm file has too.
 * @param {boolean} relaxed with relaxed SIMD
 * @param {boolean} shared with memory that threads share
 */
export const buildName = (relaxed, shared) => (relaxed ? 'relaxed' : 'simd') + (shared ? '-threads' : '');
