// A tensor that lives in the WebAssembly core.

/**
 * What the core takes in place of `value`: its own tensor for a resident one.
 * @type {(value: unknown) => unknown}
 */
export let coreOf;

/** Takes forward() no copy to read. Holds memory of the core until `dispose()`; nothing changes its numbers. */
export class ResidentTensor {
  /** @type {import('./core/core.js').ResidentTensor | null} */
  #core;

  /** @param {import('./core/core.js').ResidentTensor} core */
  constructor(core) {
    this.#core = core;
  }

  /** @returns {number[]} */
  get shape() {
    return this.#alive().shape();
  }

  /**
   * Its numbers, copied at each call.
   * @returns {Float32Array | Uint8Array | Int32Array}
   */
  get data() {
    return this.#alive().data();
  }

  /** Frees the tensor's memory. A second call does nothing. */
  dispose() {
    this.#core?.delete();
    this.#core = null;
  }

  /**
   * dispose(), called by `using`.
   * @ts-ignore for users whose `lib` is older; it works on the line after the comment's last one. */
  [Symbol.dispose]() {
    this.dispose();
  }

  static {
    coreOf = (value) => (typeof value === 'object' && value !== null && #core in value ? value.#alive() : value);
  }

  #alive() {
    if (!this.#core) throw new Error('this tensor was disposed');
    return this.#core;
  }
}
