// A tensor that lives in the core of a worker.

/** @typedef {import('./calls.js').Calls} Calls */
/** @typedef {import('../types.js').Stored} Stored */

/**
 * What the worker knows `value` by, if it is a tensor that lives there.
 * @type {(calls: Calls, name: string, value: object) => number | undefined}
 */
export let handleOf;

/**
 * Crosses to the worker without a copy. Holds memory there until `dispose()`; nothing changes its numbers.
 * @template {keyof Stored} [Kind='float32'] of its numbers
 */
export class WorkerTensor {
  #calls;
  #handle;
  #disposed = false;

  /** @param {Calls} calls @param {number} handle @param {number[]} shape */
  constructor(calls, handle, shape) {
    this.#calls = calls;
    this.#handle = handle;
    /** @type {readonly number[]} */
    this.shape = Object.freeze(shape);
    calls.own(this, handle);
  }

  /**
   * Its numbers, copied at each call.
   * @returns {Promise<Stored[Kind]>}
   */
  get data() {
    return this.#send();
  }

  async #send() {
    return this.#calls.send({ kind: 'method', on: this.#alive(), name: 'data', args: [] });
  }

  /** Frees the tensor's memory, after the calls before. A second call does nothing. */
  async dispose() {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#calls.disown(this, this.#handle);
  }

  /**
   * dispose(), called by `await using`.
   * @ts-ignore for users whose `lib` is older; it works on the line after the comment's last one. */
  [Symbol.asyncDispose]() {
    return this.dispose();
  }

  /**
   * dispose(), called by `using`, which does not wait for it.
   * @ts-ignore for users whose `lib` is older; it works on the line after the comment's last one. */
  [Symbol.dispose]() {
    this.dispose().catch(() => {}); // only the worker's end can be in its way
  }

  static {
    handleOf = (calls, name, value) => {
      if (!(#calls in value)) return undefined;
      const handle = value.#alive();
      if (value.#calls === calls) return handle;
      const message = `${name} must be a tensor of this scope, got one of another: pass its {data, shape}`;
      throw Object.assign(new RangeError(message), { field: name });
    };
  }

  #alive() {
    if (this.#disposed) throw new Error('this tensor was disposed');
    return this.#handle;
  }
}
