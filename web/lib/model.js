// A layer with its weights, ready to run.

import { Decoding } from './decoding.js';
import { TRAINED } from './errors.js';
import { checkCell } from './explain/cell.js';
import { explained } from './explain/explain.js';
import { withLengths } from './explain/lengths.js';
import { coreTensors } from './inputs.js';
import { partTensors, refusal } from './options.js';
import { ResidentTensor } from './tensor.js';
import { withoutTiedHead } from './tied.js';
import { isPlain, show } from './values.js';

/** @typedef {import('./open-core.js').OpenCore} OpenCore */
/** @typedef {import('./types.js').Config} Config */
/** @typedef {import('./types.js').FloatInput} FloatInput */
/** @typedef {import('./types.js').ForwardOptions} ForwardOptions */
/** @typedef {import('./types.js').BackwardOptions} BackwardOptions */
/** @typedef {import('./types.js').Gradients} Gradients */
/** @template O @typedef {import('./generics.js').TensorsOf<O, Tensor>} TensorsOf */
/** @typedef {import('./types.js').Input} Input */
/** @typedef {import('./types.js').ModelStorage} ModelStorage */
/** @typedef {import('./types.js').StepOptions} StepOptions */
/** @typedef {import('./types.js').Tensor} Tensor */
/** @template C @typedef {import('./generics.js').Filled<C>} Filled */
/** @template C @typedef {import('./generics.js').Inputs<C>} Inputs */
/** @template C @typedef {import('./generics.js').StepInputs<C>} StepInputs */
/** @template C @template O @typedef {import('./generics.js').Results<C, O>} Results */
/** @template G @template E @typedef {import('./generics.js').Literal<G, E>} Literal */

/**
 * Parts `progress`, a function, from the other options, which the core checks.
 * @param {any} options
 * @returns {{ options: import('./core/core.js').Options, progress?: (done: number) => unknown }}
 */
function splitOptions(options = {}) {
  if (!isPlain(options)) return { options };
  const { progress, ...others } = /** @type {Record<string, unknown>} */ ({ __proto__: null, ...options });
  if (progress !== undefined && typeof progress !== 'function') {
    throw refusal('progress', `progress must be a function, got ${show(progress)}`);
  }
  return { options: others, progress: /** @type {any} */ (progress) };
}

/**
 * What the core left in its memory comes out as resident tensors, those between the steps included.
 * @param {OpenCore} core
 * @param {Record<string, any>} made
 * @returns {any}
 */
function results(core, { tensors, ...made }) {
  const wrapped = Object.entries(made).map(([name, value]) => [
    name,
    'isDeleted' in value ? new ResidentTensor(core, value) : value
  ]);
  return { ...Object.fromEntries(wrapped), ...(tensors && { tensors: results(core, tensors) }) };
}

/**
 * Holds memory of the WebAssembly core until `dispose()`.
 * @template [C=Config] the layer's config, as far as it is known
 */
export class Model {
  #core;
  #owned;
  #reading = false; // while forward() or loadStateDict() reads its argument, whose getters may call back
  #running = false; // while progress() is called from forward() or step()
  #trainer;

  /**
   * @param {OpenCore} core
   * @param {import('./core/core.js').Model} handle
   * @param {object | null} [trainer] that trains it, and lives as long as the model is in reach
   */
  constructor(core, handle, trainer = null) {
    this.#core = core;
    this.#trainer = trainer;
    this.#owned = core.hold(trainer ? 'trainer' : 'model', handle);
    const { config, inputs, storage } = JSON.parse(this.#owned.call((model) => model.describe()));
    /** @type {Readonly<Filled<C>>} The layer and its fields, with the defaults filled in. */
    this.config = Object.freeze(config);
    /** @type {readonly Input[]} What `forward` takes. */
    this.inputs = Object.freeze(inputs);
    /** @type {ModelStorage} The number formats in which runs read the parameters and keep the KV cache. */
    this.storage = Object.freeze(storage);
  }

  /**
   * Runs the layer in float32.
   * @template [const O={}]
   * @param {Inputs<C>} inputs by name; they are copied, but for resident ones, and neither kept nor changed
   * @param {Literal<O, ForwardOptions>} [options]
   * @returns {Results<C, O>} copies, owned by the caller; with `resident: true` to be disposed of, each
   * @throws {RangeError} for a missing, unknown or ill-fitting tensor, and for a name in `tensors` that no step has
   * @throws {DOMException} an AbortError, when `progress` returned false
   */
  forward(inputs, options) {
    const { options: others, report } = this.#watched(options);
    const { tensors, core } = partTensors(others);
    const made = this.#read((model) => model.forward(coreTensors(this.#core, inputs), core, report, tensors ?? []));
    return results(this.#core, tensors ? { tensors: {}, ...made } : made);
  }

  /**
   * The gradients of a scalar by the inputs of numbers and by the parameters, of its gradients by some results: the
   * vector-Jacobian product, as `torch.autograd.grad(results, inputs, gradients)` gives it in evaluation. With
   * `tensors` those by what steps make, too.
   * @template [const O={}]
   * @param {Inputs<C>} inputs by name, as of `forward`
   * @param {Record<string, FloatInput>} gradients by the results' names, of which some may be left out; each has its
   *   result's shape
   * @param {Literal<O, BackwardOptions>} [options]
   * @returns {Gradients & TensorsOf<O>} copies
   * @throws {RangeError} for a missing, unknown or ill-fitting tensor, and for a name in `tensors` that no step has, or
   *   that has no gradient by the given results
   * @throws {DOMException} an AbortError, when `progress` returned false
   */
  backward(inputs, gradients, options) {
    const { options: others, report } = this.#watched(options);
    const { tensors, core } = partTensors(others);
    const made = this.#read((model) => {
      const [given, by] = [inputs, gradients].map((one) => coreTensors(this.#core, one));
      return model.backward(given, by, core, report, tensors ?? []);
    });
    return /** @type {any} */ (tensors ? { ...made, tensors: { .../** @type {any} */ (made).tensors } } : made);
  }

  /**
   * One attention weight with the numbers that it is made of: the features of query and key with their products, what
   * is done to their sum, the mask, the row's softmax, and what the key's value adds to the output.
   * @param {Inputs<C>} inputs by name, as of `forward`
   * @param {import('./explain/types.js').ExplainOptions} cell
   * @returns {import('./explain/types.js').Explanation}
   * @throws {RangeError} for a layer without attention weights, a cell that they have not, and an ill-fitting tensor
   */
  explain(inputs, cell) {
    const asked = checkCell(cell);
    // each input is read once: what is no plain object, forward() refuses
    const given = isPlain(inputs) ? /** @type {any} */ ({ __proto__: null, ...inputs }) : inputs;
    const forward = (/** @type {string[]} */ tensors) => this.forward(given, { need_weights: false, tensors }).tensors;
    const run = { graph: this.#graphOf(given), inputs: given, forward, state: () => this.stateDict() };
    return explained(/** @type {any} */ (run), asked);
  }

  /**
   * The estimate for inputs of these sizes; for the config's own where forward() will refuse them.
   * @param {any} inputs
   */
  #graphOf(inputs) {
    const estimate = (/** @type {any} */ config) =>
      JSON.parse(this.#core.call((module) => module.estimate(config, { tensors: true })));
    try {
      return estimate(withLengths(/** @type {any} */ (this.config), this.inputs, inputs));
    } catch (error) {
      if (error instanceof RangeError) return estimate(this.config);
      throw error;
    }
  }

  /**
   * Runs the layer on further positions, as many as the first input has, after those of the calls
   * before: their keys and values are in the model's KV cache. Step by step this gives what one
   * `forward` over all positions gives. The cache holds `batch_size` sequences.
   * @template [const O={}]
   * @param {StepInputs<C>} inputs by name, without `past_` inputs; a mask is one of (new positions, positions
   *   that are kept and new ones)
   * @param {Literal<O, StepOptions>} [options]
   * @returns {Results<C, O>}
   * @throws {RangeError} for a layer without KV cache, or an ill-fitting tensor; the cache is then as it was
   */
  step(inputs, options) {
    this.#checkIdle();
    const { options: others, report } = this.#watched(options);
    return this.#read((model) => results(this.#core, model.step(coreTensors(this.#core, inputs), others, report)));
  }

  /**
   * Continues a text, of a layer that turns token ids into logits over their vocabulary: the prompt in one step, then
   * one step for each new token but the last. The KV cache holds them afterwards, and when the loop is left early.
   * @param {import('./decoding.js').Prompt} tokens
   * @param {import('./decoding.js').DecodeOptions} [options]
   * @returns {Generator<import('./decoding.js').Decoded, void, undefined>}
   * @throws {RangeError} for a layer that cannot decode, a wrong option or token
   */
  decode(tokens, options) {
    const config = /** @type {any} */ (this.config);
    const estimate = JSON.parse(this.#core.call((module) => module.estimate(config, { steps: false })));
    return this.#decode(new Decoding(estimate, tokens, options));
  }

  /** @param {Decoding} decoding */
  *#decode(decoding) {
    // it can decode: the layer does not matter
    const model = /** @type {Model<Config>} */ (/** @type {unknown} */ (this));
    const { signal, need_weights } = decoding.how;
    if (decoding.fresh) this.clearCache();
    while (decoding.goesOn) {
      signal?.throwIfAborted();
      const results = model.step(decoding.inputs, { need_weights });
      yield decoding.add(results, decoding.choose(results));
    }
  }

  /** Positions in the KV cache: how many `step` has seen. */
  get pastLength() {
    return this.#owned.call((model) => model.pastLength());
  }

  /** Empties the KV cache; the next `step` starts at position 0. */
  clearCache() {
    this.#checkIdle();
    this.#owned.call((model) => model.clearCache());
  }

  /**
   * The weights under the names that PyTorch's `state_dict()` gives them, as copies.
   * @returns {Record<string, Tensor>}
   */
  stateDict() {
    return this.#owned.call((model) => model.stateDict());
  }

  /**
   * Replaces every weight, and empties the KV cache.
   * @param {Record<string, FloatInput>} state each parameter's tensor, no more and no less; where tie_embeddings is
   *   true, lm_head.weight too, if it is the embedding's
   * @throws {RangeError} for a missing, unknown or ill-fitting tensor; the weights are then as they were
   */
  loadStateDict(state) {
    this.#checkIdle();
    this.#read((model) => model.loadStateDict(withoutTiedHead(this.config, coreTensors(this.#core, state))));
  }

  /**
   * Frees the model's memory. A second call does nothing.
   * @throws {Error} when called from a getter of an input that forward() is reading, or from its `progress`, and for
   *   the model of a trainer, which frees it
   */
  dispose() {
    if (this.#trainer) throw new Error(TRAINED);
    Model.free(this);
  }

  /** dispose(), also of a model that its trainer lets go. @param {Model<any>} model */
  static free(model) {
    if (model.#reading) throw new Error('this model is in use and cannot be disposed');
    model.#trainer = null;
    model.#owned.dispose();
  }

  /**
   * dispose(), called by `using`. An engine older than Symbol.dispose has it under a name that nothing calls.
   * @ts-ignore for users whose `lib` is older; it works on the line after the comment's last one. */
  [Symbol.dispose]() {
    this.dispose();
  }

  /** Options for the core, and what it tells of its progress. @param {unknown} given */
  #watched(given) {
    const { options, progress } = splitOptions(given);
    return { options, report: progress && ((/** @type {number} */ done) => this.#report(progress, done)) };
  }

  /**
   * What a trainer does with its model, under the same rules as the model's own methods.
   * @template T
   * @param {Model<any>} model
   * @param {(handle: import('./core/core.js').Model, report?: (done: number) => void) => T} work
   * @param {unknown} [options] of which progress is taken
   * @returns {T}
   */
  static use(model, work, options) {
    model.#checkIdle();
    const { report } = model.#watched(options);
    return model.#read((handle) => work(handle, report));
  }

  /**
   * What a trainer tells of itself, also while it steps.
   * @template T
   * @param {Model<any>} model
   * @param {(handle: import('./core/core.js').Model) => T} work
   * @returns {T}
   */
  static read(model, work) {
    return model.#owned.call(work);
  }

  /** @param {(done: number) => unknown} progress @param {number} done */
  #report(progress, done) {
    const before = this.#running;
    this.#running = true;
    try {
      if (progress(done) === false) throw new DOMException('the run was stopped', 'AbortError');
    } finally {
      this.#running = before;
    }
  }

  /** What changes the model may not be called from its own progress(). */
  #checkIdle() {
    if (this.#running) throw new Error('this model is in use and cannot be changed');
  }

  /**
   * @template T
   * @param {(model: import('./core/core.js').Model) => T} call
   */
  #read(call) {
    const before = this.#reading;
    this.#reading = true;
    try {
      return this.#owned.call(call);
    } finally {
      this.#reading = before;
    }
  }
}
