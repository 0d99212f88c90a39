// Trains a layer: forward, backward and update, step by step.

import { coreTensors } from './inputs.js';
import { Model } from './model.js';
import { checkOptions, functionRule, namesRule, refusal } from './options.js';
import { isPlain, show } from './values.js';

/** @typedef {import('./open-core.js').OpenCore} OpenCore */
/** @typedef {import('./types.js').Config} Config */
/** @typedef {import('./types.js').FloatInput} FloatInput */
/** @typedef {import('./types.js').Ids} Ids */
/** @typedef {import('./types.js').IdsInput} IdsInput */
/** @typedef {import('./types.js').Tensor} Tensor */
/** @typedef {import('./types.js').TensorInput} TensorInput */

/**
 * @typedef {object} CrossEntropy as `F.cross_entropy`, of a result whose last dimension goes over classes
 * @property {'cross_entropy'} name
 * @property {'indices' | 'probabilities' | 'next_token'} [target] what a row is held against. 'indices', the default:
 *   the input `labels`, an Int32Array of class indices in the result's shape without its last dimension.
 *   'probabilities': the input `target`, in the result's shape. 'next_token': the tokens themselves, each position
 *   against the token after it
 * @property {'mean' | 'sum'} [reduction]
 * @property {number} [ignore_index] the class index of rows that do not count, -100 by default
 * @property {number} [label_smoothing] 0 to 1, 0 by default
 * @property {ArrayLike<number>} [weight] how much each class counts
 */

/**
 * @typedef {object} PointwiseLoss as `F.binary_cross_entropy_with_logits` or `F.mse_loss`, held against the input
 *   `target`, which has the result's shape
 * @property {'binary_cross_entropy_with_logits' | 'mse_loss'} name
 * @property {'mean' | 'sum'} [reduction]
 */

/** @typedef {CrossEntropy | PointwiseLoss} Loss */

/**
 * @typedef {object} Optimizer arguments and defaults are those of `torch.optim`; `betas` are `beta1` and `beta2` here
 * @property {'sgd' | 'rmsprop' | 'adam' | 'adamw'} name
 * @property {number} [lr] 1e-3, of rmsprop 1e-2
 * @property {number} [weight_decay] 0, of adamw 1e-2
 * @property {boolean} [maximize]
 * @property {number} [momentum] sgd and rmsprop
 * @property {number} [dampening] sgd
 * @property {boolean} [nesterov] sgd
 * @property {number} [alpha] rmsprop
 * @property {boolean} [centered] rmsprop
 * @property {number} [eps] all but sgd
 * @property {number} [beta1] adam and adamw
 * @property {number} [beta2] adam and adamw
 * @property {boolean} [amsgrad] adam and adamw
 */

/**
 * @typedef {object} Schedule by what the learning rate is multiplied in step t, which counts from 0: t / warmup_steps
 *   at first; then 1, or down to 0 at total_steps in a line or as half a cosine
 * @property {'constant' | 'linear' | 'cosine'} name
 * @property {number} [warmup_steps] 0 by default
 * @property {number} [total_steps] of 'linear' and 'cosine', which need it
 */

/**
 * @typedef {object} TrainerOptions
 * @property {number} [seed] of the weights, and of dropout after them: as `torch.manual_seed(seed)` before the module
 *   is made; 0 by default
 * @property {Loss['name'] | Loss} [loss] 'cross_entropy' by default
 * @property {Optimizer['name'] | Optimizer} [optimizer] 'adam' by default
 * @property {Schedule['name'] | Schedule} [schedule] 'constant' by default
 * @property {number} [clip_norm] the most that the norm of all gradients together may be: `clip_grad_norm_`
 * @property {number} [accumulation_steps] calls of step() whose gradients, averaged, make one update; 1 by default
 * @property {readonly string[]} [frozen] names of parameters that stay as they are
 * @property {boolean} [checkpointing] of a layer of blocks that repeat: nothing within a block is kept for the backward
 *   pass, which runs it again (`torch.utils.checkpoint`); false by default
 */

/**
 * @typedef {object} TrainingStep
 * @property {number} loss NaN of a batch whose labels are all ignored, which only an accumulation takes
 * @property {number} gradient_norm of all gradients together, before they are clipped
 * @property {number} lr the learning rate of the update
 * @property {boolean} updated false in all but the last call of `accumulation_steps`
 */

/**
 * @typedef {object} TrainerState plain data: what a run goes on from, with the same bits
 * @property {Config} config
 * @property {Record<string, unknown>} options those that the trainer was made with
 * @property {Record<string, Tensor>} parameters
 * @property {Record<string, Tensor>} optimizer moments, "score.weight.exp_avg"; within an accumulation gradients too
 * @property {number} updates how many were made
 * @property {number} accumulated calls since the last one
 * @property {Ids} generator words of the Mersenne Twister, and how many of them have been used
 */

/** @param {unknown} value */
const namedRule = (value) => typeof value !== 'string' && !isPlain(value) && 'a name or an object with one';

const RULES = {
  seed: () => /** @type {const} */ (false), // create() checks it
  loss: namedRule,
  optimizer: namedRule,
  schedule: namedRule,
  clip_norm: () => /** @type {const} */ (false), // the core checks these three
  accumulation_steps: () => /** @type {const} */ (false),
  checkpointing: () => /** @type {const} */ (false),
  frozen: namesRule('parameter names')
};

/**
 * An option that is a name, or an object with a name and more.
 * @param {any} given
 * @returns {Record<string, any>}
 */
const named = (given) => (typeof given === 'string' ? { name: given } : { ...given });

/** @param {any} weight of classes @returns {number[]} */
function classWeights(weight) {
  if (weight === undefined) return [];
  const list = Array.isArray(weight) || ArrayBuffer.isView(weight);
  const numbers = list ? Array.from(/** @type {any} */ (weight)) : [];
  if (numbers.length === 0 || !numbers.every((one) => typeof one === 'number' && Number.isFinite(one) && one >= 0)) {
    throw refusal('loss.weight', `loss.weight must be an array of numbers of at least 0, got ${show(weight)}`);
  }
  return /** @type {number[]} */ (numbers);
}

/**
 * What a trainer is made of, checked as far as the core does not.
 * @param {unknown} options
 * @param {string} [owner] whose options they are, in messages
 */
export function trainerOptions(options, owner = 'trainer') {
  const given = checkOptions(owner, RULES, options);
  const { weight, ...loss } = named(given.loss ?? 'cross_entropy');
  const { clip_norm, accumulation_steps, checkpointing } = given;
  const others = /** @type {Record<string, unknown>} */ ({ clip_norm: clip_norm ?? null });
  if (accumulation_steps !== undefined) others.accumulation_steps = accumulation_steps;
  const optimizer = named(given.optimizer ?? 'adam');
  const schedule = named(given.schedule ?? 'constant');
  const weights = classWeights(weight);
  const frozen = [...(given.frozen ?? [])];
  return {
    create: given.seed === undefined ? {} : { seed: given.seed },
    core: /** @type {const} */ ([{ ...others, checkpointing }, loss, optimizer, schedule, weights, frozen]),
    recipe: { ...others, loss: { ...loss, weight: weights }, optimizer, schedule, frozen }
  };
}

/**
 * Holds memory of the WebAssembly core until `dispose()`.
 * @template [C=Config] the layer's config, as far as it is known
 */
export class Trainer {
  #core;
  #recipe;

  /**
   * @param {OpenCore} core
   * @param {import('./core/core.js').Model} handle that createTrainer() has made
   * @param {Record<string, unknown>} recipe plain data, by which a saved state is known again
   */
  constructor(core, handle, recipe) {
    this.#core = core;
    this.#recipe = recipe;
    /** The layer that it trains, with its weights as they are, until dispose(). @type {Model<C>} */
    this.model = new Model(core, handle, this);
  }

  /**
   * Forward, with dropout, loss, backward and, unless gradients are accumulated, the update.
   * @param {Record<string, TensorInput>} inputs those of the layer, and `labels` or `target`, as the loss has it. Batch
   *   and lengths may be others than the config's, where no parameter has that size
   * @param {{ progress?: (done: number) => unknown }} [options]
   * @returns {TrainingStep}
   * @throws {RangeError} for an ill-fitting tensor, numbers that are not finite, a batch whose labels are all ignored
   *   (one of several calls that make an update may be such a batch: it adds nothing), and a loss or gradients that
   *   would not be finite: the trainer is then as it was before
   * @throws {DOMException} an AbortError, when `progress` returned false
   */
  step(inputs, options) {
    return this.#run('step', 'train', inputs, options);
  }

  /**
   * The loss and the layer's results, without dropout; nothing changes.
   * @param {Record<string, TensorInput>} inputs as of step()
   * @param {{ progress?: (done: number) => unknown }} [options]
   * @returns {{ loss: number } & Record<string, Tensor>} the results under their names, `output` the first
   */
  evaluate(inputs, options) {
    return this.#run('evaluate', 'evaluate', inputs, options);
  }

  /**
   * The gradients of the last step, clipped where they were, under state-dict names; a frozen parameter, and one on
   * which the loss does not depend, has none. Before the first step there are none.
   * @returns {Record<string, Tensor>}
   */
  gradients() {
    return Model.read(this.model, (handle) => handle.gradients());
  }

  /**
   * All that a run goes on from, with the same bits: weights, optimizer, counts and the generator of dropout.
   * @returns {TrainerState}
   */
  stateDict() {
    const { tensors: optimizer, ...rest } = Model.read(this.model, (handle) => handle.trainerState());
    const parameters = this.model.stateDict();
    const config = /** @type {any} */ ({ ...this.model.config });
    return { config, options: structuredClone(this.#recipe), parameters, optimizer, ...rest };
  }

  /**
   * Goes on from what stateDict() has given, of a trainer of the same config and options.
   * @param {TrainerState} state
   * @throws {RangeError} for a state of another config or other options, and for tensors that do not fit; everything is
   *   then as it was
   */
  loadStateDict(state) {
    if (!isPlain(state)) throw refusal('state', `state must be what stateDict() returns, got ${show(state)}`);
    checkSame('config', this.model.config, state.config);
    checkSame('options', this.#recipe, state.options);
    const { parameters, optimizer, updates, accumulated, generator } = state;
    const tensors = coreTensors(this.#core, optimizer);
    Model.use(this.model, (handle) =>
      handle.loadTrainerState(coreTensors(this.#core, parameters), { tensors, updates, accumulated, generator })
    );
  }

  /**
   * Frees the memory of the trainer and of its model. A second call does nothing.
   * @throws {Error} when called from `progress` of step() or evaluate()
   */
  dispose() {
    Model.free(this.model);
  }

  /**
   * dispose(), called by `using`.
   * @ts-ignore for users whose `lib` is older; it works on the line after the comment's last one. */
  [Symbol.dispose]() {
    this.dispose();
  }

  /**
   * @param {'step' | 'evaluate'} name in messages
   * @param {'train' | 'evaluate'} method of the core
   * @param {unknown} inputs @param {unknown} options @returns {any}
   */
  #run(name, method, inputs, options = {}) {
    checkOptions(name, { progress: functionRule }, options);
    const tensors = coreTensors(this.#core, inputs);
    return Model.use(this.model, (handle, report) => handle[method](tensors, report), options);
  }
}

/**
 * Names the first entry in which a saved state differs from this trainer.
 * @param {string} what @param {any} own @param {any} saved
 */
function checkSame(what, own, saved) {
  if (!isPlain(saved)) throw refusal(`state.${what}`, `state.${what} must be an object, got ${show(saved)}`);
  for (const key of new Set([...Object.keys(own), ...Object.keys(saved)])) {
    const [here, there] = [own[key], saved[key]];
    if (isPlain(here) && isPlain(there)) {
      checkSame(`${what}.${key}`, here, there);
    } else if (JSON.stringify(here) !== JSON.stringify(there)) {
      throw refusal(
        `state.${what}.${key}`,
        `the saved state is of another trainer: ${what}.${key} is ${show(here)} here and ${show(there)} there`
      );
    }
  }
}
