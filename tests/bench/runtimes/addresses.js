// Where a browser finds the packages that are imported by name: the file of each that its own package.json, or its
// documentation, means for a browser without bundler.

const rivals = '/tests/bench/node_modules/';

/** @type {Record<string, string>} */
export const addresses = {
  '@jax-js/jax': `${rivals}@jax-js/jax/dist/index.js`,
  '@litertjs/core': `${rivals}@litertjs/core/dist/index.js`,
  '@litertjs/wasm-utils': `${rivals}@litertjs/wasm-utils/dist/index.js`,
  flatbuffers: `${rivals}flatbuffers/mjs/flatbuffers.js`,
  'onnxruntime-web': `${rivals}onnxruntime-web/dist/ort.wasm.bundle.min.mjs`, // WebAssembly alone, as in Node
  'wasm-feature-detect': '/node_modules/wasm-feature-detect/dist/esm/index.js'
};

/**
 * Those that are scripts, and the global that each defines or adds to.
 * @type {Record<string, { url: string, global: string }>}
 */
export const scripts = {
  '@tensorflow/tfjs': { url: `${rivals}@tensorflow/tfjs/dist/tf.min.js`, global: 'tf' },
  '@tensorflow/tfjs-backend-wasm': {
    url: `${rivals}@tensorflow/tfjs-backend-wasm/dist/tf-backend-wasm.min.js`,
    global: 'tf.wasm'
  }
};
