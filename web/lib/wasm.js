// Loads and compiles a .wasm file, from wherever this engine reads files. What goes wrong is told with the file's
// address.

import { wasm } from './files.js';
import { builtin } from './host.js';

/**
 * @param {string} name of the build
 * @param {string | URL} [folder] that holds the .wasm files, where they are not beside the library
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(name, folder) {
  try {
    if (folder !== undefined) return await compileFile(`${String(folder).replace(/\/?$/, '/')}${name}.wasm`, '');
    const file = locate(name);
    return await ('href' in file ? compileFile(file.href, LEFT_BEHIND) : WebAssembly.compile(await file));
  } catch (error) {
    if (isForbidden(error)) throw new Error(FORBIDDEN, { cause: error });
    throw error;
  }
}

const FORBIDDEN =
  "the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src, as in " +
  "script-src 'self' 'wasm-unsafe-eval'";

/**
 * Whether a Content-Security-Policy is why nothing was compiled. Chromium and Safari name the word that would allow it,
 * Firefox says `blocked by CSP`.
 * @param {unknown} error
 */
const isForbidden = (error) => error instanceof Error && /unsafe-eval|blocked by CSP/.test(error.message);

const LEFT_BEHIND =
  '. If a bundler has left this file behind: import attnscope/inline, which has it inside, or name the folder that has it by wasmUrl';

/** @param {string} name */
function locate(name) {
  try {
    return wasm[name]();
  } catch (error) {
    throw new Error(`${name}.wasm has no address here${LEFT_BEHIND}`, { cause: error });
  }
}

/**
 * @param {string} address a URL or, in Node, a path
 * @param {string} advice what to say after the cause
 */
async function compileFile(address, advice) {
  try {
    const fs = /^(https?|data|blob):/.test(address) ? null : builtin('node:fs');
    if (fs) return await compileBytes(fs.readFileSync(pathOf(address)), 'another file');
    if (isOldNode()) throw new Error('Node reads it from 20.16 and 22.3 on');
    return await compileFetched(address);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new Error(`${address} could not be loaded: ${message}${advice}`, { cause: error });
  }
}

/** @param {string} address */
function pathOf(address) {
  return address.startsWith('file:') ? builtin('node:url').fileURLToPath(address) : address;
}

/**
 * Whether this is a Node without process.getBuiltinModule(). A file that browsers load too has no other way to Node's
 * own modules.
 */
function isOldNode() {
  const { process } = /** @type {any} */ (globalThis);
  return (
    process?.versions?.node !== undefined && process.getBuiltinModule === undefined && globalThis.location === undefined
  );
}

/**
 * Compiles while it loads; and an engine may keep what it has compiled, with the response.
 * @param {string} address
 */
async function compileFetched(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the server answers HTTP ${response.status}`);
  const type = response.headers.get('Content-Type') ?? 'a file without Content-Type';
  if (type === 'application/wasm' && WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
  return compileBytes(new Uint8Array(await response.arrayBuffer()), type);
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {string} type what it is said to be
 */
function compileBytes(bytes, type) {
  const [nul, a, s, m] = bytes;
  if (nul !== 0 || a !== 0x61 || s !== 0x73 || m !== 0x6d) throw new Error(`it is no WebAssembly, but ${type}`);
  return WebAssembly.compile(bytes);
}
