// A layer with its weights, ready to run.

/** @typedef {import('./types.js').ForwardOptions} ForwardOptions */
/** @typedef {import('./types.js').Ids} Ids */
/** @typedef {import('./types.js').Mask} Mask */
/** @typedef {import('./types.js').Results} Results */
/** @typedef {import('./types.js').Tensor} Tensor */

/** Holds memory of the WebAssembly core until `dispose()`. */
export class Model {
  /** @type {import('./core/core.js').Model | null} */
  #core;
  #reading = false; // while forward() or loadStateDict() reads its argument, whose getters may call back

  /** @param {import('./core/core.js').Model} core */
  constructor(core) {
    this.#core = core;
  }

  /**
   * Runs the layer in float32.
   * @param {Record<string, Tensor | Mask | Ids>} inputs by name; they are copied, neither kept nor changed
   * @param {ForwardOptions} [options]
   * @returns {Results}
   * @throws {RangeError} for a missing, unknown or ill-fitting tensor
   */
  forward(inputs, options = {}) {
    return this.#read((core) =>
      core.forward(
        /** @type {import('./core/core.js').Inputs} */ (inputs),
        /** @type {import('./core/core.js').Options} */ (options)
      )
    );
  }

  /**
   * Runs the layer on further positions, as many as the first input has, after those of the calls
   * before: their keys and values are in the model's KV cache. Step by step this gives what one
   * `forward` over all positions gives. The cache holds `batch_size` sequences.
   * @param {Record<string, Tensor | Mask | Ids>} inputs by name, without `past_` inputs; a mask is one
   *   of (new positions, positions that are kept and new ones)
   * @param {{need_weights?: boolean}} [options]
   * @returns {Results}
   * @throws {RangeError} for a layer without KV cache, or an ill-fitting tensor; the cache then stays
   */
  step(inputs, options = {}) {
    return this.#read((core) =>
      core.step(
        /** @type {import('./core/core.js').Inputs} */ (inputs),
        /** @type {import('./core/core.js').Options} */ (options)
      )
    );
  }

  /** Positions in the KV cache: how many `step` has seen. */
  get pastLength() {
    return this.#alive().pastLength();
  }

  /** Empties the KV cache; the next `step` starts at position 0. */
  clearCache() {
    this.#alive().clearCache();
  }

  /**
   * The weights under the names that PyTorch's `state_dict()` gives them, as copies.
   * @returns {Record<string, Tensor>}
   */
  stateDict() {
    return this.#alive().stateDict();
  }

  /**
   * Replaces every weight, and empties the KV cache.
   * @param {Record<string, Tensor>} state each parameter's tensor, no more and no less
   * @throws {RangeError} for a missing, unknown or ill-fitting tensor; the weights then stay
   */
  loadStateDict(state) {
    this.#read((core) => core.loadStateDict(state));
  }

  /**
   * Frees the model's memory. A second call does nothing.
   * @throws {Error} when called from a getter of an input that forward() is reading
   */
  dispose() {
    if (this.#reading) throw new Error('this model is in use and cannot be disposed');
    this.#core?.delete();
    this.#core = null;
  }

  /**
   * dispose(), called by `using`. An engine older than Symbol.dispose has it under a name that nothing calls.
   * @ts-ignore for users whose `lib` is older; it works on the line after the comment's last one. */
  [Symbol.dispose]() {
    this.dispose();
  }

  /**
   * @template T
   * @param {(core: import('./core/core.js').Model) => T} call
   */
  #read(call) {
    const core = this.#alive();
    const before = this.#reading;
    this.#reading = true;
    try {
      return call(core);
    } finally {
      this.#reading = before;
    }
  }

  #alive() {
    if (!this.#core) throw new Error('this model was disposed');
    return this.#core;
  }
}
