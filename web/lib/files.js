// Files that load at run time. Addresses are written out in full: so bundlers find and replace them.

/** @type {Record<string, () => URL | Promise<BufferSource>>} Each build's .wasm, or where it is. */
export const wasm = {
  'relaxed-threads': () => new URL('./core/relaxed-threads.wasm', import.meta.url),
  relaxed: () => new URL('./core/relaxed.wasm', import.meta.url),
  'simd-threads': () => new URL('./core/simd-threads.wasm', import.meta.url),
  simd: () => new URL('./core/simd.wasm', import.meta.url),
  reference: () => new URL('./core/reference.wasm', import.meta.url)
};

export const openThread = () => new Worker(new URL('./thread.js', import.meta.url), { type: 'module' });
