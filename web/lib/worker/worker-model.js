// A layer with its weights that lives in the core of a worker.

import { Decoding, copyOf } from '../decoding.js';
import { TRAINED } from '../errors.js';
import { checkOptions, functionRule, signalRule } from '../options.js';
import { isPlain } from '../values.js';
import { Parcel, handleIn, mapped } from './crossing.js';
import { WorkerTensor } from './worker-tensor.js';

/** @typedef {import('../types.js').Config} Config */
/** @typedef {import('../decoding.js').Decoded} Decoded */
/** @typedef {import('../types.js').ForwardOptions} ForwardOptions */
/** @typedef {import('../types.js').FloatInput} FloatInput */
/** @typedef {import('../types.js').BackwardOptions} BackwardOptions */
/** @typedef {import('../types.js').Gradients} Gradients */
/** @template O @typedef {import('../generics.js').TensorsOf<O, import('../types.js').Tensor>} TensorsOf */
/** @typedef {import('../types.js').Input} Input */
/** @typedef {import('../types.js').ModelStorage} ModelStorage */
/** @typedef {import('../types.js').StepOptions} StepOptions */
/** @typedef {import('../types.js').Tensor} Tensor */
/** @typedef {import('./calls.js').Calls} Calls */
/** @typedef {import('./types.js').RunOptions} RunOptions */
/** @typedef {import('./types.js').TransferOptions} TransferOptions */
/** @template C @typedef {import('./types.js').WorkerInputs<C>} WorkerInputs */
/** @template C @typedef {import('./types.js').WorkerStepInputs<C>} WorkerStepInputs */
/** @template C @template O @typedef {import('./types.js').WorkerResults<C, O>} WorkerResults */
/** @template C @typedef {import('../generics.js').Filled<C>} Filled */
/** @template G @template E @typedef {import('../generics.js').Literal<G, E>} Literal */

/** Of the options of a call those that only this side knows. */
const rules = {
  progress: functionRule,
  signal: signalRule,
  transfer: (/** @type {any} */ value) =>
    !(Array.isArray(value) && value.every((buffer) => buffer instanceof ArrayBuffer)) && 'an array of ArrayBuffers'
};

/**
 * @param {unknown} options what is no plain object is for the core to refuse
 * @returns {{ others: unknown, watch: import('./calls.js').Watch, transfer: ArrayBuffer[] }} `others`: for the core
 */
export function splitOptions(options = {}) {
  if (!isPlain(options)) return { others: options, watch: {}, transfer: [] };
  const own = Object.entries(options);
  const known = Object.fromEntries(own.filter(([name]) => Object.hasOwn(rules, name)));
  const others = Object.fromEntries(own.filter(([name]) => !Object.hasOwn(rules, name)));
  const { transfer = [], progress, signal } = checkOptions('', rules, known);
  return { others, watch: { progress, signal }, transfer };
}

/**
 * Holds memory of the worker's core until `dispose()`. Its calls are done in the order in which they are made.
 * @template [C=Config] the layer's config, as far as it is known
 */
export class WorkerModel {
  #calls;
  #handle;
  #trainer;
  #disposed = false;

  /**
   * @param {Calls} calls
   * @param {number} handle
   * @param {{ config: any, inputs: Input[], storage: ModelStorage }} facts
   * @param {object | null} [trainer] that trains it, and lives as long as the model is in reach
   */
  constructor(calls, handle, { config, inputs, storage }, trainer = null) {
    this.#calls = calls;
    this.#handle = handle;
    this.#trainer = trainer;
    /** The layer and its fields, with the defaults filled in. @type {Readonly<Filled<C>>} */
    this.config = Object.freeze(config);
    /** What `forward` takes. @type {readonly Input[]} */
    this.inputs = Object.freeze(inputs);
    /** The number formats in which runs read the parameters and keep the KV cache. @type {ModelStorage} */
    this.storage = Object.freeze(storage);
    calls.own(this, handle);
  }

  /**
   * Runs the layer in float32, in the worker.
   * @template [const O={}]
   * @param {WorkerInputs<C>} inputs by name; they are copied, but for tensors that live in the worker and for the
   *   buffers in `transfer`
   * @param {Literal<O, ForwardOptions & RunOptions>} [options]
   * @returns {Promise<WorkerResults<C, O>>} rejected as `Model.forward` throws, and with
   *   the reason of `signal`
   */
  async forward(inputs, options) {
    return this.#run('forward', inputs, options);
  }

  /**
   * The gradients of a scalar, of its gradients by results: see `Model.backward`.
   * @template [const O={}]
   * @param {WorkerInputs<C>} inputs
   * @param {Record<string, FloatInput | WorkerTensor>} gradients by the results' names
   * @param {Literal<O, BackwardOptions & RunOptions>} [options]
   * @returns {Promise<Gradients & TensorsOf<O>>}
   */
  async backward(inputs, gradients, options) {
    const on = this.#alive();
    const { others, watch, transfer } = splitOptions(options);
    const parcel = new Parcel(this.#calls, transfer);
    const args = [parcel.packTensors(inputs), parcel.packTensors(gradients), parcel.pack(others)];
    const call = /** @type {const} */ ({ kind: 'method', on, name: 'backward', args, options: 2 });
    return this.#calls.send(call, { watch, transfer: parcel.buffers });
  }

  /**
   * One attention weight with the numbers that it is made of: see `Model.explain`.
   * @param {WorkerInputs<C>} inputs
   * @param {import('../explain/types.js').ExplainOptions} cell
   * @returns {Promise<import('../explain/types.js').Explanation>}
   */
  async explain(inputs, cell) {
    const on = this.#alive();
    const parcel = new Parcel(this.#calls);
    const args = [parcel.packTensors(inputs), parcel.pack(cell)];
    return this.#calls.send({ kind: 'method', on, name: 'explain', args }, { transfer: parcel.buffers });
  }

  /**
   * Runs the layer on further positions, after those in the model's KV cache: see `Model.step`. A step that is aborted
   * may have been at its end: `pastLength` says whether it has moved the cache.
   * @template [const O={}]
   * @param {WorkerStepInputs<C>} inputs
   * @param {Literal<O, StepOptions & RunOptions>} [options]
   * @returns {Promise<WorkerResults<C, O>>}
   */
  async step(inputs, options) {
    return this.#run('step', inputs, options);
  }

  /**
   * Continues a text: see `Model.decode`. Each round of `for await` is a step in the worker.
   * @param {import('../decoding.js').Prompt} tokens
   * @param {import('../decoding.js').DecodeOptions<number | Promise<number>>} [options]
   * @returns {AsyncGenerator<Decoded, void, undefined>}
   */
  decode(tokens, options) {
    return this.#decode(copyOf(tokens), options);
  }

  /** Positions in the KV cache, after the calls before. @returns {Promise<number>} */
  get pastLength() {
    return this.#method('pastLength');
  }

  /** Empties the KV cache; the next `step` starts at position 0. @returns {Promise<void>} */
  async clearCache() {
    await this.#method('clearCache');
  }

  /**
   * The weights under the names that PyTorch's `state_dict()` gives them, as copies.
   * @returns {Promise<Record<string, Tensor>>}
   */
  async stateDict() {
    return this.#method('stateDict');
  }

  /**
   * Replaces every weight, and empties the KV cache.
   * @param {Record<string, FloatInput | WorkerTensor>} state each parameter's tensor, no more and no less
   * @param {TransferOptions} [options]
   */
  async loadStateDict(state, options) {
    const { transfer } = splitOptions(options);
    const on = this.#alive();
    const parcel = new Parcel(this.#calls, transfer);
    const args = [parcel.packTensors(state)];
    await this.#calls.send({ kind: 'method', on, name: 'loadStateDict', args }, { transfer: parcel.buffers });
  }

  /**
   * Frees the model's memory, after the calls before. A second call does nothing.
   * @throws {Error} for the model of a trainer, which frees it
   */
  async dispose() {
    this.#checkUntrained();
    await WorkerModel.free(this);
  }

  /** dispose(), also of a model that its trainer lets go. @param {WorkerModel<any>} model */
  static async free(model) {
    if (model.#disposed) return;
    model.#trainer = null;
    model.#disposed = true;
    await model.#calls.disown(model, model.#handle);
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
    this.#checkUntrained();
    WorkerModel.free(this).catch(() => {}); // only the worker's end can be in its way
  }

  #checkUntrained() {
    if (this.#trainer) throw new Error(TRAINED);
  }

  /**
   * @param {import('../decoding.js').Prompt} tokens
   * @param {import('../decoding.js').DecodeOptions<any>} [options]
   * @returns {AsyncGenerator<Decoded, void, undefined>}
   */
  async *#decode(tokens, options) {
    this.#alive();
    // which layer it is does not matter here
    const model = /** @type {WorkerModel<Config>} */ (/** @type {unknown} */ (this));
    const estimate = await this.#calls.send({
      kind: 'method',
      name: 'estimate',
      args: [this.config, { steps: false }]
    });
    const decoding = new Decoding(estimate, tokens, options);
    if (decoding.fresh) await this.clearCache();
    while (decoding.goesOn) {
      const results = await model.step(decoding.inputs, decoding.how);
      yield decoding.add(results, await decoding.choose(results));
    }
  }

  /**
   * @param {'forward' | 'step'} name @param {unknown} inputs @param {unknown} options
   * @returns {Promise<any>}
   */
  async #run(name, inputs, options) {
    const on = this.#alive();
    const { others, watch, transfer } = splitOptions(options);
    const parcel = new Parcel(this.#calls, transfer);
    const args = [parcel.packTensors(inputs), parcel.pack(others)];
    const results = await this.#calls.send({ kind: 'method', on, name, args }, { watch, transfer: parcel.buffers });
    return this.#received(results);
  }

  /** Results by name, and those between the steps among them. @param {Record<string, any>} results @returns {any} */
  #received({ tensors, ...results }) {
    const received = mapped(results, (/** @type {any} */ value) => {
      const handle = handleIn(value);
      return handle === undefined ? value : new WorkerTensor(this.#calls, handle, value.shape);
    });
    return tensors ? { ...received, tensors: this.#received(tensors) } : received;
  }

  /** @param {string} name */
  async #method(name) {
    return this.#calls.send({ kind: 'method', on: this.#alive(), name, args: [] });
  }

  #alive() {
    if (this.#disposed) throw new Error('this model was disposed');
    return this.#handle;
  }
}
