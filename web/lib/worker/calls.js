// The page's side of a worker: calls that wait for their answer, their progress and their abort, and the worker's end.

import { handleIn, unpackError } from './crossing.js';
import { isPlain } from '../values.js';

/**
 * @typedef {{ kind: 'open' | 'method' | 'task' | 'dispose', on?: number, name?: string, args: unknown[],
 *   options?: number }} Call `options`: which argument of a method they are, for progress to join them; 1 by default
 * @typedef {{ progress?: (value: any) => unknown, signal?: AbortSignal }} Watch
 * @typedef {{ resolve: (value: any) => void, stop: (reason: unknown) => void, progress?: (value: any) => unknown,
 *   settled: () => void,
 *   reject: (reason: unknown) => void }} Pending
 */

export class Calls {
  #worker;
  /** @type {Map<number, Pending>} */
  #pending = new Map();
  #last = 0;
  /** Why there is no worker any more. @type {{ reason: unknown } | null} */
  #ended = null;
  /** Frees what the page forgot without disposing of it. */
  #forgotten = new FinalizationRegistry((/** @type {number} */ handle) => this.#free(handle));

  #signal;
  #onAbort = () => this.end(this.#signal?.reason);

  /**
   * @param {any} worker that is ready
   * @param {AbortSignal} [signal] ends it
   */
  constructor(worker, signal) {
    this.#worker = worker;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.#onAbort();
    worker.addEventListener('message', (/** @type {MessageEvent} */ { data }) => {
      if (isPlain(data) && 'attnscope' in data) this.#take(data);
    });
    worker.addEventListener('error', (/** @type {ErrorEvent} */ event) => {
      event.preventDefault();
      this.end(new Error(`the worker ended: ${event.message}`));
    });
    worker.addEventListener('close', () => this.end(new Error('the worker ended')));
    worker.addEventListener('messageerror', () => this.end(new Error('the worker sent what this page cannot read')));
  }

  /** Whether the worker has ended. */
  get ended() {
    return this.#ended !== null;
  }

  /**
   * Sends a call and waits for its answer. Calls are answered in the order in which they were sent.
   * @param {Call} call
   * @param {{ watch?: Watch, transfer?: Transferable[] }} [options]
   * @returns {Promise<any>}
   */
  send(call, { watch: { progress, signal } = {}, transfer = [] } = {}) {
    return new Promise((resolve, reject) => {
      if (this.#ended) throw this.#ended.reason;
      signal?.throwIfAborted();
      const id = ++this.#last;
      const flag = progress || signal ? stopFlag() : null;
      this.#worker.postMessage({ attnscope: 'call', id, ...call, progress: Boolean(progress), flag }, transfer);
      const stop = (/** @type {unknown} */ reason) => {
        if (flag) Atomics.store(flag, 0, 1);
        this.#worker.postMessage({ attnscope: 'abort', id });
        this.#settle(id);
        reject(reason);
      };
      const onAbort = () => stop(signal?.reason);
      signal?.addEventListener('abort', onAbort);
      const settled = () => signal?.removeEventListener('abort', onAbort);
      this.#pending.set(id, { resolve, reject, stop, progress, settled });
      this.#worker.ref?.(); // a process waits for answers, but not for an idle worker
    });
  }

  /**
   * Has what the worker holds for `owner` freed once nobody can reach `owner` any more.
   * @param {object} owner
   * @param {number} handle
   */
  own(owner, handle) {
    this.#forgotten.register(owner, handle, owner);
  }

  /**
   * Frees it now, after the calls before.
   * @param {object} owner
   * @param {number} handle
   */
  async disown(owner, handle) {
    this.#forgotten.unregister(owner);
    if (!this.#ended) await this.send({ kind: 'dispose', on: handle, args: [] });
  }

  /**
   * Ends the worker. What waits, and every later call, is rejected with `reason`.
   * @param {unknown} reason
   */
  end(reason) {
    if (this.#ended) return;
    this.#ended = { reason };
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#worker.terminate();
    for (const [id, { reject }] of this.#pending) {
      this.#settle(id);
      reject(reason);
    }
  }

  /** @param {any} message */
  #take({ attnscope: kind, id, value, error }) {
    const pending = this.#pending.get(id);
    if (kind === 'progress') {
      this.#report(id, value);
      return;
    }
    this.#settle(id);
    if (kind === 'error') pending?.reject(unpackError(error));
    else if (pending) pending.resolve(value);
    else this.#abandon(value);
  }

  /** @param {number} id @param {unknown} value */
  async #report(id, value) {
    try {
      if ((await this.#pending.get(id)?.progress?.(value)) === false)
        throw new DOMException('the run was stopped', 'AbortError');
    } catch (error) {
      this.#pending.get(id)?.stop(error);
    }
    if (!this.#ended) this.#worker.postMessage({ attnscope: 'took', id });
  }

  /** @param {number} id */
  #settle(id) {
    this.#pending.get(id)?.settled();
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker.unref?.();
  }

  /** Frees what came back of a call that was given up meanwhile. @param {unknown} value @param {number} [depth] */
  #abandon(value, depth = 2) {
    const handle = handleIn(value);
    if (handle !== undefined) this.#free(handle);
    else if (depth > 0 && isPlain(value)) Object.values(value).forEach((part) => this.#abandon(part, depth - 1));
  }

  /** @param {number} handle */
  #free(handle) {
    if (!this.#ended) this.send({ kind: 'dispose', on: handle, args: [] }).catch(() => {}); // the worker may end first
  }
}

/** Memory in which a run looks whether it is to stop: it takes no messages. Null where memory cannot be shared. */
function stopFlag() {
  const shared = typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false;
  return shared ? new Int32Array(new SharedArrayBuffer(4)) : null;
}
