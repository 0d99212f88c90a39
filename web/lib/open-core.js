// An open WebAssembly core: calls into it, what it holds for its caller, and its end.

import { isOutOfMemory } from './errors.js';

/** @typedef {{ stackSave: () => number, stackRestore: (pointer: number) => void }} Stack cpp/bindings/stack.js */
/** @typedef {import('./core/core.js').MainModule & Stack} CoreModule */
/** @typedef {import('./core/core.js').Model | import('./core/core.js').ResidentTensor} Handle */
/** @typedef {'model' | 'tensor' | 'trainer'} Kind */
/** @typedef {{ kind: Kind, handle: Handle | null }} Entry what the core holds; null once it is freed */

export class OpenCore {
  /** @type {CoreModule | null} */
  #module;
  #close;
  #running = 0; // calls that have not returned: getters and `progress` may make others meanwhile
  /** @type {Set<Entry>} */
  #held = new Set();
  /** Frees what the caller forgot without disposing of it. */
  #forgotten = new FinalizationRegistry((/** @type {Entry} */ entry) => this.#free(entry));

  /**
   * @param {CoreModule} module
   * @param {(module: CoreModule) => void} close ends its threads
   */
  constructor(module, close) {
    this.#module = module;
    this.#close = close;
  }

  /**
   * Every call into the core goes through here. An error leaves WebAssembly without unwinding the core's own stack, so
   * the stack is put back to where it was.
   * @template T
   * @param {(module: CoreModule) => T} work
   * @returns {T}
   */
  call(work) {
    if (!this.#module) throw new Error('this scope was disposed');
    const module = this.#module;
    const stack = module.stackSave();
    this.#running++;
    try {
      return work(module);
    } catch (error) {
      module.stackRestore(stack);
      throw this.#explained(error);
    } finally {
      this.#running--;
    }
  }

  /**
   * Keeps what the core has made until its owner is disposed of, forgotten or closed with the core.
   * @param {Kind} kind
   * @param {Handle} handle
   */
  hold(kind, handle) {
    const entry = { kind, handle };
    this.#held.add(entry);
    const owned = new Owned(this, entry, () => {
      this.#forgotten.unregister(entry);
      this.#free(entry);
    });
    this.#forgotten.register(owned, entry, entry);
    return owned;
  }

  get disposed() {
    return this.#module === null;
  }

  /** Frees all that the core holds, and ends its threads. */
  dispose() {
    if (this.#running > 0) throw new Error('this scope is in use and cannot be disposed');
    if (!this.#module) return;
    for (const entry of this.#held) this.#free(entry);
    this.#close(this.#module);
    this.#module = null;
  }

  /** @param {Entry} entry */
  #free(entry) {
    entry.handle?.delete();
    entry.handle = null;
    this.#held.delete(entry);
  }

  /**
   * An error for want of memory says what takes it.
   * @param {unknown} error
   */
  #explained(error) {
    if (isOutOfMemory(error) && this.#held.size > 0) {
      error.message += `; alive are ${this.#inventory().join(' and ')}: dispose() frees them`;
    }
    return error;
  }

  /** `127 models with 2,032 MiB`, for each kind that there is. */
  #inventory() {
    return /** @type {Kind[]} */ (['model', 'tensor', 'trainer']).flatMap((kind) => {
      const handles = [...this.#held].filter((entry) => entry.kind === kind).map(({ handle }) => handle);
      if (handles.length === 0) return [];
      const bytes = handles.reduce((sum, handle) => sum + (handle?.bytes() ?? 0), 0);
      const many = `${handles.length.toLocaleString('en')} ${kind}${handles.length === 1 ? '' : 's'}`;
      return [`${many} with ${Math.ceil(bytes / 2 ** 20).toLocaleString('en')} MiB`];
    });
  }
}

/** What a model, a tensor or a trainer holds of the core: an object there, until it is freed. */
class Owned {
  #core;
  #entry;
  #free;

  /** @param {OpenCore} core @param {Entry} entry @param {() => void} free */
  constructor(core, entry, free) {
    this.#core = core;
    this.#entry = entry;
    this.#free = free;
  }

  /** @param {OpenCore} core */
  isOf(core) {
    return this.#core === core;
  }

  /** The core's own object. @returns {any} */
  get handle() {
    const { kind, handle } = this.#entry;
    if (this.#core.disposed) throw new Error(`the scope of this ${kind} was disposed`);
    if (!handle) throw new Error(`this ${kind} was disposed`);
    return handle;
  }

  /**
   * @template T
   * @param {(handle: any) => T} work
   * @returns {T}
   */
  call(work) {
    const { handle } = this;
    return this.#core.call(() => work(handle));
  }

  /** A second call does nothing. */
  dispose() {
    this.#free();
  }
}
