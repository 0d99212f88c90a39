// The core of a worker, seen from the page.

import { Parcel, handleIn } from './crossing.js';
import { WorkerModel, splitOptions } from './worker-model.js';
import { WorkerTensor } from './worker-tensor.js';
import { WorkerTrainer } from './worker-trainer.js';

/** @typedef {import('../types.js').Build} Build */
/** @typedef {import('./types.js').CallOptions} CallOptions */
/** @typedef {import('../types.js').Config} Config */
/** @typedef {import('../types.js').EstimateOptions} EstimateOptions */
/** @typedef {import('../types.js').Format} Format */
/** @typedef {import('../types.js').HalfFormat} HalfFormat */
/** @typedef {import('../types.js').Halves} Halves */
/** @typedef {import('../types.js').Ids} Ids */
/** @typedef {import('../types.js').Layer} Layer */
/** @typedef {import('../types.js').LayerName} LayerName */
/** @typedef {import('../types.js').NumberFormat} NumberFormat */
/** @typedef {import('../types.js').Refusal} Refusal */
/** @typedef {import('../types.js').RunBytesOptions} RunBytesOptions */
/** @typedef {import('../types.js').Tensor} Tensor */
/** @typedef {import('./types.js').TransferOptions} TransferOptions */
/** @typedef {import('./calls.js').Calls} Calls */
/** @template C @template O @template [S=true] @typedef {import('../generics.js').Estimated<C, O, S>} Estimated */
/** @template C @typedef {import('../generics.js').Known<C>} Known */
/** @template G @template E @typedef {import('../generics.js').Literal<G, E>} Literal */
/** @template L @template C @typedef {import('../generics.js').ConfigArgument<L, C>} ConfigArgument */

/**
 * What `Attnscope` has, each method with a promise; a promise is rejected with the error that the method would throw.
 */
export class WorkerScope {
  #calls;

  /** @param {Calls} calls @param {{ build: Build, memoryLimit: number }} facts */
  constructor(calls, { build, memoryLimit }) {
    this.#calls = calls;
    /** Which WebAssembly runs in the worker, with how many threads, and why not a faster one. */
    this.build = Object.freeze(build);
    /** Bytes that one layer may need to run; `create` refuses more. */
    this.memoryLimit = memoryLimit;
  }

  /** @returns {Promise<Layer[]>} */
  async layers() {
    return this.#method('layers', []);
  }

  /** @returns {Promise<NumberFormat[]>} */
  async formats() {
    return this.#method('formats', []);
  }

  /**
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @template [const O={}]
   * @param {ConfigArgument<L, C>} config
   * @param {Literal<O, EstimateOptions>} [options]
   * @returns {Promise<Estimated<Known<C>, O>>}
   */
  async estimate(config, options) {
    return this.#method('estimate', [config, options]);
  }

  /**
   * @template {Config} const C
   * @template [const O={}]
   * @param {readonly C[]} configs
   * @param {Literal<O, EstimateOptions>} [options]
   * @returns {Promise<(Estimated<C, O, false> | Refusal)[]>}
   */
  async estimates(configs, options) {
    const parcel = new Parcel(this.#calls);
    const each = Array.isArray(configs) ? Array.from(configs, (config) => parcel.pack(config)) : parcel.pack(configs);
    return this.#send('estimates', [each, parcel.pack(options)], parcel);
  }

  /**
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @param {ConfigArgument<L, C>} config
   * @param {RunBytesOptions} [options]
   * @returns {Promise<number>}
   */
  async runBytes(config, options) {
    return this.#method('runBytes', [config, options]);
  }

  /**
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @param {ConfigArgument<L, C>} config
   * @param {{self_check?: boolean, mask?: boolean, imports?: string[],
   *   training?: import('../trainer.js').TrainerOptions}} [options]
   * @returns {Promise<string>}
   */
  async pytorch(config, options) {
    return this.#method('pytorch', [config, options]);
  }

  /**
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @param {ConfigArgument<L, C>} config
   * @param {{seed?: number, storage?: Format}} [options]
   * @returns {Promise<WorkerModel<Known<C>>>} holds memory of the worker until `dispose()`
   */
  async create(config, options) {
    const made = await this.#method('create', [config, options]);
    return new WorkerModel(this.#calls, /** @type {number} */ (handleIn(made)), made);
  }

  /**
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @param {ConfigArgument<L, C>} config
   * @param {import('../trainer.js').TrainerOptions} [options]
   * @returns {Promise<WorkerTrainer<Known<C>>>} holds memory of the worker until `dispose()`
   */
  async trainer(config, options) {
    const made = await this.#method('trainer', [config, options]);
    return new WorkerTrainer(this.#calls, /** @type {number} */ (handleIn(made)), made);
  }

  /**
   * @param {readonly number[]} shape
   * @param {{seed?: number}} [options]
   * @returns {Promise<Tensor>}
   */
  async randn(shape, options) {
    return this.#method('randn', [shape, options]);
  }

  /**
   * @param {number} high
   * @param {readonly number[]} shape
   * @param {{seed?: number}} [options]
   * @returns {Promise<Ids>}
   */
  async randint(high, shape, options) {
    return this.#method('randint', [high, shape, options]);
  }

  /**
   * @overload
   * @param {Float32Array | Halves} data is copied, unless its buffer is in `transfer`
   * @param {readonly number[]} shape
   * @param {TransferOptions} [options]
   * @returns {Promise<WorkerTensor>} holds memory of the worker until `dispose()`
   */
  /**
   * @overload
   * @param {Uint16Array} data
   * @param {readonly number[]} shape
   * @param {TransferOptions & {dtype: HalfFormat}} options dtype: what the bits are
   * @returns {Promise<WorkerTensor>}
   */
  /**
   * @overload
   * @param {Uint8Array} data
   * @param {readonly number[]} shape
   * @param {TransferOptions} [options]
   * @returns {Promise<WorkerTensor<'uint8'>>}
   */
  /**
   * @overload
   * @param {Int32Array} data
   * @param {readonly number[]} shape
   * @param {TransferOptions} [options]
   * @returns {Promise<WorkerTensor<'int32'>>}
   */
  /**
   * @param {ArrayBufferView} data
   * @param {readonly number[]} shape
   * @param {TransferOptions & {dtype?: HalfFormat}} [options]
   * @returns {Promise<WorkerTensor<any>>}
   */
  async tensor(data, shape, options) {
    const { others, transfer } = splitOptions(options);
    const made = await this.#method('tensor', [data, shape, others], transfer);
    return new WorkerTensor(this.#calls, /** @type {number} */ (handleIn(made)), made.shape);
  }

  /**
   * @param {{read_bytes?: number}} [options]
   * @returns {Promise<{flops_per_second: number, bytes_per_second: number}>}
   */
  async measurePeaks(options) {
    return this.#method('measurePeaks', [options]);
  }

  /**
   * Calls a task of one's own worker file: see `serve`.
   * @param {string} name the task's
   * @param {unknown} [job] what it is to do: anything that can be cloned
   * @param {CallOptions} [options]
   * @returns {Promise<any>} what the task returns
   */
  async call(name, job, options) {
    const { watch, transfer } = splitOptions(options);
    return this.#calls.send({ kind: 'task', name, args: [job] }, { watch, transfer });
  }

  /**
   * Ends the worker with all that lives in it. What waits is rejected, and so is every later call. A second one does
   * nothing.
   */
  dispose() {
    this.#calls.end(new Error('this scope was disposed'));
  }

  /**
   * dispose(), called by `using`.
   * @ts-ignore for users whose `lib` is older; it works on the line after the comment's last one. */
  [Symbol.dispose]() {
    this.dispose();
  }

  /**
   * @param {string} name @param {unknown[]} args @param {ArrayBuffer[]} [transfer]
   * @returns {Promise<any>}
   */
  #method(name, args, transfer) {
    const parcel = new Parcel(this.#calls, transfer);
    return this.#send(
      name,
      args.map((value) => parcel.pack(value)),
      parcel
    );
  }

  /**
   * @param {string} name @param {unknown[]} args packed in `parcel`
   * @param {Parcel} parcel
   * @returns {Promise<any>}
   */
  #send(name, args, parcel) {
    return this.#calls.send({ kind: 'method', name, args }, { transfer: parcel.buffers });
  }
}
