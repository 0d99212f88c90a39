// A worker's side: does the calls of a page one after another, in an open core of its own.

import { sayReady, starter } from '../host.js';
import { Model } from '../model.js';
import { isPlain, show } from '../values.js';
import { open } from '../scope.js';
import { ResidentTensor } from '../tensor.js';
import { Trainer } from '../trainer.js';
import { buffersOf, handleMessage, mapped, packError, unpack } from './crossing.js';

/**
 * @typedef {import('./types.js').Task} Task
 * @typedef {import('./calls.js').Call & { id: number, progress: boolean, flag: Int32Array | null }} Received
 */

/**
 * Makes this worker one that `openInWorker` can use. `tasks` are functions of one's own, called from the page by
 * `scope.call(name, job, options)`: they have the open module, with its synchronous methods.
 * @param {Record<string, Task>} [tasks]
 */
export function serve(tasks = {}) {
  if (!isPlain(tasks)) throw new RangeError(`tasks must be a plain object of functions, got ${show(tasks)}`);
  for (const [name, task] of Object.entries(tasks)) {
    if (typeof task !== 'function')
      throw new RangeError(`tasks must be a plain object of functions, got ${show(task)} as ${name}`);
  }
  const { post, listen } = starter();
  const server = new Server(tasks, post);
  listen((message) => {
    if (isPlain(message) && 'attnscope' in message) server.take(message);
  });
  sayReady();
}

class Server {
  #tasks;
  #post;
  /** @type {import('../scope.js').Attnscope | null} */
  #scope = null;
  /** Models, trainers and tensors that the page has, by handle. @type {Map<number, any>} */
  #held = new Map();
  #lastHandle = 0;
  /** @type {Received[]} */
  #waiting = [];
  #working = false;
  /** Calls that the page has given up. @type {Set<number>} */
  #aborted = new Set();
  #lastAnswered = 0; // calls come, and are answered, in the order of their ids
  /** By call: what waits for the page to take a progress. @type {Map<number, (() => void)[]>} */
  #untaken = new Map();

  /** @param {Record<string, Task>} tasks @param {(message: unknown, transfer?: Transferable[]) => void} post */
  constructor(tasks, post) {
    this.#tasks = tasks;
    this.#post = post;
  }

  /** @param {any} message */
  take(message) {
    const { attnscope: kind, id } = message;
    if (kind === 'abort') {
      if (id > this.#lastAnswered) this.#aborted.add(id);
    } else if (kind === 'took') this.#untaken.get(id)?.shift()?.();
    else {
      this.#waiting.push(message);
      this.#work();
    }
  }

  async #work() {
    if (this.#working) return;
    this.#working = true;
    for (let call = this.#waiting.shift(); call; call = this.#waiting.shift()) {
      await this.#answer(call);
      await messagesTaken(); // a waiting call may have been given up meanwhile
    }
    this.#working = false;
  }

  /** @param {Received} call */
  async #answer(call) {
    const { id } = call;
    try {
      /** @type {ArrayBuffer[]} */
      const transfer = [];
      const value = this.#isAborted(call) ? undefined : await this.#perform(call, transfer);
      this.#post({ attnscope: 'result', id, value }, transfer);
    } catch (error) {
      this.#post({ attnscope: 'error', id, error: packError(error) });
    }
    this.#lastAnswered = id;
    this.#aborted.delete(id);
    this.#untaken.delete(id);
  }

  /** @param {Received} call @param {ArrayBuffer[]} transfer is filled @returns {unknown} */
  #perform(call, transfer) {
    const { kind, on, name = '', args, options = 1 } = call;
    if (kind === 'open') return this.#open(args[0]);
    if (kind === 'task') return this.#task(call, transfer);
    const target = on === undefined ? this.#scope : this.#held.get(on);
    if (kind === 'dispose') {
      this.#held.delete(/** @type {number} */ (on));
      return target.dispose();
    }
    const given = unpack(args, (handle) => this.#held.get(handle));
    if (call.flag || call.progress)
      given[options] = { ...given[options], progress: (/** @type {number} */ done) => this.#tell(call, done) };
    const value = typeof target[name] === 'function' ? target[name](...given) : target[name];
    transfer.push(...new Set(buffersOf(value)));
    return this.#packed(value);
  }

  /** @param {any} options */
  async #open(options) {
    this.#scope = await open(unpack(options, () => undefined));
    const { build, memoryLimit } = this.#scope;
    return { build, memoryLimit };
  }

  /** @param {Received} call @param {ArrayBuffer[]} transfer */
  #task(call, transfer) {
    const {
      name = '',
      args: [job]
    } = call;
    if (!Object.hasOwn(this.#tasks, name)) {
      const known = Object.keys(this.#tasks).join(', ');
      throw Object.assign(
        new RangeError(`the worker has no task ${show(name)}; ${known ? `its tasks are ${known}` : 'it has none'}`),
        { field: 'name' }
      );
    }
    const progress = (/** @type {unknown} */ value) => this.#tell(call, value) && this.#taken(call);
    return this.#tasks[name](/** @type {any} */ (this.#scope), job, {
      progress,
      transfer: (buffers) => transfer.push(...buffers)
    });
  }

  /** @param {Received} call @param {unknown} value @returns {boolean} whether the page wants more of it */
  #tell(call, value) {
    if (call.progress) this.#post({ attnscope: 'progress', id: call.id, value });
    return !this.#isAborted(call);
  }

  /** @param {Received} call @returns {Promise<void>} */
  #taken({ id, progress }) {
    if (!progress) return Promise.resolve();
    const waiting = this.#untaken.get(id) ?? [];
    this.#untaken.set(id, waiting);
    return new Promise((resolve) => waiting.push(resolve));
  }

  /** @param {Received} call */
  #isAborted({ id, flag }) {
    return this.#aborted.has(id) || (flag !== null && Atomics.load(flag, 0) === 1);
  }

  /** What stays here goes by a handle. @param {any} value @returns {unknown} */
  #packed(value) {
    if (value instanceof Model) {
      const { config, inputs, storage } = value;
      return this.#hold(value, { config, inputs, storage });
    }
    if (value instanceof Trainer) return this.#hold(value, { model: this.#packed(value.model) });
    if (value instanceof ResidentTensor) return this.#hold(value, { shape: value.shape });
    const { output } = isPlain(value) ? value : {};
    return output instanceof ResidentTensor ? this.#packedAll(value) : value;
  }

  /**
   * Results by name, and those between the steps among them.
   * @param {Record<string, any>} results
   * @returns {Record<string, unknown>}
   */
  #packedAll({ tensors, ...results }) {
    const packed = mapped(results, (result) => this.#packed(result));
    return tensors ? { ...packed, tensors: this.#packedAll(tensors) } : packed;
  }

  /** @param {Model | ResidentTensor | Trainer} value @param {Record<string, unknown>} facts */
  #hold(value, facts) {
    this.#held.set(++this.#lastHandle, value);
    return handleMessage(this.#lastHandle, facts);
  }
}

const turn = new MessageChannel();

/** Once the messages that have arrived are taken. @returns {Promise<void>} */
function messagesTaken() {
  return new Promise((resolve) => {
    turn.port1.onmessage = () => resolve();
    turn.port2.postMessage(null);
  });
}
