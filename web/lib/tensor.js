// A tensor that lives in the WebAssembly core.

/** @typedef {import('./open-core.js').OpenCore} OpenCore */
/** @typedef {import('./types.js').Stored} Stored */

/**
 * What `core` takes in place of `value`: its own tensor for a resident one.
 * @type {(core: OpenCore, name: string, value: unknown) => unknown}
 */
export let coreOf;

/**
 * forward() reads it without a copy. Holds memory of the core until `dispose()`; nothing changes its numbers.
 * @template {keyof Stored} [Kind='float32'] of its numbers
 */
export class ResidentTensor {
  #owned;

  /** @param {OpenCore} core @param {import('./core/core.js').ResidentTensor} handle */
  constructor(core, handle) {
    this.#owned = core.hold('tensor', handle);
  }

  /** @returns {number[]} */
  get shape() {
    return this.#owned.call((tensor) => tensor.shape());
  }

  /**
   * Its numbers, copied at each call.
   * @returns {Stored[Kind]}
   */
  get data() {
    return this.#owned.call((tensor) => tensor.data());
  }

  /** Frees the tensor's memory. A second call does nothing. */
  dispose() {
    this.#owned.dispose();
  }

  /**
   * dispose(), called by `using`.
   * @ts-ignore for users whose `lib` is older; it works on the line after the comment's last one. */
  [Symbol.dispose]() {
    this.dispose();
  }

  static {
    coreOf = (core, name, value) => {
      if (typeof value !== 'object' || value === null || !(#owned in value)) return value;
      const { handle } = value.#owned;
      if (value.#owned.isOf(core)) return handle;
      const message = `${name} must be a tensor of this scope, got one of another: pass its {data, shape}`;
      throw Object.assign(new RangeError(message), { field: name });
    };
  }
}
