// What attnscope/inline has in place of web/lib/files.js: the files themselves.

import { thread, wasm as packed } from 'attnscope:packed';
import { addressOf, builtin } from '../../web/lib/host.js';

/** @type {Record<string, () => Promise<BufferSource>>} What is in each build's .wasm. */
export const wasm = {
  ...Object.fromEntries(Object.entries(packed).map(([name, text]) => [name, () => unpacked(text)])),
  async reference() {
    throw new Error(
      'attnscope/inline does not have the build "reference" inside: import attnscope, or name the folder that has reference.wasm by wasmUrl'
    );
  }
};

/** @type {string | undefined} */
let address;

export const openThread = () => new Worker((address ??= addressOf(thread)), { type: 'module' });

/**
 * By Node's zlib where there is one: under Jest's DOM there is no DecompressionStream.
 * @param {string} text base64 of compressed bytes
 * @returns {Promise<BufferSource>}
 */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const zlib = builtin('node:zlib');
  if (zlib) return zlib.inflateRawSync(bytes);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))).arrayBuffer();
}
