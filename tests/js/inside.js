// A module with its WebAssembly.Memory and its stack. The module hands these to nobody, so this file puts itself
// between: it keeps what each instance has that is made while a module opens.

import { open } from '../../web/lib/index.js';

/**
 * @typedef {object} Inside
 * @property {import('../../web/lib/index.js').Attnscope} scope
 * @property {WebAssembly.Memory} memory
 * @property {() => number} stack where the core's stack ends
 */

/** @param {import('../../web/lib/index.js').OpenOptions} options @returns {Promise<Inside>} */
export async function openInside(options) {
  const { instantiate } = WebAssembly;
  /** @type {WebAssembly.Memory | undefined} */
  let memory;
  /** @type {(() => number) | undefined} */
  let stack;
  WebAssembly.instantiate = async (/** @type {any} */ source, /** @type {any} */ imports) => {
    const result = await instantiate(source, imports);
    const { exports } = result.instance ?? result;
    const entries = [...Object.values(imports ?? {}).flatMap(Object.values), ...Object.values(exports ?? {})];
    memory ??= entries.find((value) => value instanceof WebAssembly.Memory);
    return result;
  };
  // Each module gets a function of this name (cpp/bindings/stack.js), and here it is seen.
  Object.defineProperty(Object.prototype, 'stackSave', {
    configurable: true,
    set(/** @type {() => number} */ save) {
      stack ??= save;
      Object.defineProperty(this, 'stackSave', { value: save, writable: true, configurable: true, enumerable: true });
    }
  });
  try {
    const scope = await open(options);
    if (!memory || !stack) throw new Error('no instance was seen');
    return { scope, memory, stack };
  } finally {
    WebAssembly.instantiate = instantiate;
    delete (/** @type {any} */ (Object.prototype).stackSave);
  }
}

/**
 * Lets a memory grow to so many bytes, and no further: whoever needs more is outside of it.
 * @param {WebAssembly.Memory} memory
 * @param {number} most
 */
export function limit(memory, most) {
  const page = 65536;
  memory.grow = (pages) =>
    WebAssembly.Memory.prototype.grow.call(
      memory,
      Math.min(pages, Math.floor((most - memory.buffer.byteLength) / page))
    );
}
