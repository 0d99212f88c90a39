// A layer that learns in the core of a worker.

import { isPlain } from '../values.js';
import { Parcel, handleIn } from './crossing.js';
import { WorkerModel, splitOptions } from './worker-model.js';

/** @typedef {import('../types.js').Config} Config */
/** @typedef {import('../types.js').Tensor} Tensor */
/** @typedef {import('../types.js').TensorInput} TensorInput */
/** @typedef {import('../trainer.js').TrainerState} TrainerState */
/** @typedef {import('../trainer.js').TrainingStep} TrainingStep */
/** @typedef {import('./calls.js').Calls} Calls */
/** @typedef {import('./types.js').RunOptions} RunOptions */
/** @typedef {import('./types.js').TransferOptions} TransferOptions */
/** @typedef {import('./worker-tensor.js').WorkerTensor<any>} AnyWorkerTensor */
/** @typedef {RunOptions & { progress?: (done: number) => unknown }} WatchedOptions */

/**
 * What `Trainer` has, each method with a promise. Its calls are done in the order in which they are made.
 * @template [C=Config] the layer's config, as far as it is known
 */
export class WorkerTrainer {
  #calls;
  #handle;
  #disposed = false;

  /** @param {Calls} calls @param {number} handle @param {{ model: any }} facts */
  constructor(calls, handle, { model }) {
    this.#calls = calls;
    this.#handle = handle;
    /** The layer that it trains, with its weights as they are, until dispose(). @type {WorkerModel<C>} */
    this.model = new WorkerModel(calls, /** @type {number} */ (handleIn(model)), model, this);
    calls.own(this, handle);
  }

  /**
   * One step of training: see `Trainer.step`.
   * @param {Record<string, TensorInput | AnyWorkerTensor>} inputs
   * @param {WatchedOptions} [options]
   * @returns {Promise<TrainingStep>}
   */
  async step(inputs, options) {
    return this.#run('step', inputs, options);
  }

  /**
   * The loss and the layer's results, without dropout: see `Trainer.evaluate`.
   * @param {Record<string, TensorInput | AnyWorkerTensor>} inputs
   * @param {WatchedOptions} [options]
   * @returns {Promise<{ loss: number } & Record<string, Tensor>>}
   */
  async evaluate(inputs, options) {
    return this.#run('evaluate', inputs, options);
  }

  /** The gradients of the last step: see `Trainer.gradients`. @returns {Promise<Record<string, Tensor>>} */
  async gradients() {
    return this.#method('gradients', []);
  }

  /** All that a run goes on from: see `Trainer.stateDict`. @returns {Promise<TrainerState>} */
  async stateDict() {
    return this.#method('stateDict', []);
  }

  /**
   * Goes on from what stateDict() has given: see `Trainer.loadStateDict`.
   * @param {TrainerState} state
   * @param {TransferOptions} [options]
   */
  async loadStateDict(state, options) {
    const { transfer } = splitOptions(options);
    const parcel = new Parcel(this.#calls, transfer);
    const tensors = ['parameters', 'optimizer'];
    const packed = isPlain(state)
      ? Object.fromEntries(
          Object.entries(state).map(([name, value]) => [
            name,
            tensors.includes(name) ? parcel.packTensors(value) : parcel.pack(value)
          ])
        )
      : parcel.pack(state);
    await this.#method('loadStateDict', [packed], parcel);
  }

  /** Frees the memory of the trainer and of its model, after the calls before. A second call does nothing. */
  async dispose() {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#calls.disown(this, this.#handle);
    await WorkerModel.free(this.model);
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

  /** @param {string} name @param {unknown} inputs @param {unknown} options @returns {Promise<any>} */
  async #run(name, inputs, options) {
    const { others, watch, transfer } = splitOptions(options);
    const parcel = new Parcel(this.#calls, transfer);
    return this.#method(name, [parcel.packTensors(inputs), parcel.pack(others)], parcel, watch);
  }

  /**
   * @param {string} name @param {unknown[]} args packed in `parcel`
   * @param {Parcel} [parcel] @param {import('./calls.js').Watch} [watch]
   * @returns {Promise<any>}
   */
  async #method(name, args, parcel, watch) {
    if (this.#disposed) throw new Error('this trainer was disposed');
    const call = /** @type {const} */ ({ kind: 'method', on: this.#handle, name, args });
    return this.#calls.send(call, { watch, transfer: parcel?.buffers });
  }
}
