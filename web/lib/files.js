// The files that the library loads while it runs. Each address is written out in full: bundlers know these words, take
// the file that they name along, and put its new address in their place.

/** @type {Record<string, () => URL | Promise<BufferSource>>} Where each build's .wasm is, or what is in it. */
export const wasm = {
  'relaxed-threads': () => new URL('./core/relaxed-threads.wasm', import.meta.url),
  relaxed: () => new URL('./core/relaxed.wasm', import.meta.url),
  'simd-threads': () => new URL('./core/simd-threads.wasm', import.meta.url),
  simd: () => new URL('./core/simd.wasm', import.meta.url),
  reference: () => new URL('./core/reference.wasm', import.meta.url)
};

export const openThread = () => new Worker(new URL('./thread.js', import.meta.url), { type: 'module' });
