// The module, opened: what it sizes, draws and makes. Works in Node, a page and a worker.

import { load } from './loader.js';
import { Model } from './model.js';
import { OpenCore } from './open-core.js';
import { checkOptions, partTensors, refusal } from './options.js';
import { partImports, withImports } from './python-imports.js';
import { ResidentTensor } from './tensor.js';
import { Trainer, trainerOptions } from './trainer.js';
import { trainingScript } from './training-script.js';
import { isPlain, show } from './values.js';

/** @typedef {import('./types.js').Build} Build */
/** @typedef {import('./types.js').Config} Config */
/** @typedef {import('./types.js').EstimateOptions} EstimateOptions */
/** @typedef {import('./types.js').Format} Format */
/** @typedef {import('./types.js').HalfFormat} HalfFormat */
/** @typedef {import('./types.js').Halves} Halves */
/** @typedef {import('./types.js').Ids} Ids */
/** @typedef {import('./types.js').Layer} Layer */
/** @typedef {import('./types.js').LayerName} LayerName */
/** @typedef {import('./types.js').NumberFormat} NumberFormat */
/** @typedef {import('./types.js').OpenOptions} OpenOptions */
/** @typedef {import('./types.js').Refusal} Refusal */
/** @typedef {import('./types.js').RunBytesOptions} RunBytesOptions */
/** @typedef {import('./types.js').Tensor} Tensor */
/** @template C @template O @template [S=true] @typedef {import('./generics.js').Estimated<C, O, S>} Estimated */
/** @template C @typedef {import('./generics.js').Known<C>} Known */
/** @template G @template E @typedef {import('./generics.js').Literal<G, E>} Literal */
/** @template L @template C @typedef {import('./generics.js').ConfigArgument<L, C>} ConfigArgument */

/**
 * Loads the fastest build that this engine can run.
 * @param {OpenOptions} [options]
 * @returns {Promise<Attnscope>}
 * @throws {RangeError} for a wrong option or a build that cannot run here
 */
export async function open(options = {}) {
  const { core, build, close } = await load(options);
  return new Attnscope(new OpenCore(core, close), build);
}

/**
 * Gives back the config itself, with its exact type, by which TypeScript knows the types of estimates, inputs and
 * results. Of a plain `const config = { layer: ... }` it would remember only that `layer` is a string.
 * @template {LayerName | (string & {})} const L
 * @template const C
 * @param {ConfigArgument<L, C>} config
 * @returns {C}
 */
export function defineConfig(config) {
  return /** @type {any} */ (config);
}

/**
 * An open core. Holds memory and threads until `dispose()`. Every method throws a RangeError, with the `field` and the
 * rule, for a wrong value.
 */
export class Attnscope {
  #core;

  /**
   * @param {OpenCore} core
   * @param {Build} build
   */
  constructor(core, build) {
    this.#core = core;
    /** Which WebAssembly runs, with how many threads, and why not a faster one. */
    this.build = Object.freeze(build);
    /** Bytes that one layer may need to run; `create` refuses more. */
    this.memoryLimit = core.call((module) => module.memoryLimit());
  }

  /**
   * Every layer, with its fields, their types, defaults, ranges and meanings, and what it takes and returns.
   * @returns {Layer[]}
   */
  layers() {
    return JSON.parse(this.#core.call((module) => module.layers()));
  }

  /**
   * The number formats of `dtype` and `storage`.
   * @returns {NumberFormat[]}
   */
  formats() {
    return JSON.parse(this.#core.call((module) => module.formats()));
  }

  /**
   * What a layer costs. Pure arithmetic: no tensor is allocated.
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @template [const O={}]
   * @param {ConfigArgument<L, C>} config
   * @param {Literal<O, EstimateOptions>} [options]
   * @returns {Estimated<Known<C>, O>}
   */
  estimate(config, options = /** @type {any} */ ({})) {
    const known = /** @type {Config} */ (config);
    if (!isPlain(options) || /** @type {any} */ (options).training === undefined)
      return JSON.parse(this.#core.call((module) => module.estimate(known, options)));
    const { training, ...others } = /** @type {Record<string, any>} */ (options);
    const { core } = trainerOptions(training, 'training');
    return JSON.parse(this.#core.call((module) => module.estimateTraining(known, others, ...core)));
  }

  /**
   * What each of some layers costs, in one call of the core: the figures, without the steps. A config that is refused
   * does not cost the others theirs: why it is stands in its place.
   * @template {Config} const C
   * @template [const O={}]
   * @param {readonly C[]} configs
   * @param {Literal<O, EstimateOptions>} [options] `steps` is false by default
   * @returns {(Estimated<C, O, false> | Refusal)[]} parallel to `configs`
   */
  estimates(configs, options = /** @type {any} */ ({})) {
    if (!Array.isArray(configs)) throw refusal('configs', `configs must be an array of configs, got ${show(configs)}`);
    return JSON.parse(this.#core.call((module) => module.estimates(configs, options)));
  }

  /**
   * Bytes that running a layer takes, whatever its dtype: parameters in float32 and their packed copy in `storage`,
   * inputs without masks, activations and what kernels need besides in an arena that is planned for them, and results.
   * `create` refuses what exceeds `memoryLimit` without attention weights, `forward` what exceeds it with those it is
   * to return.
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @param {ConfigArgument<L, C>} config
   * @param {RunBytesOptions} [options] as of `create` and `forward`: weights that are rounded, or compared with others,
   *   stand beside the model's own
   * @returns {number}
   */
  runBytes(config, options = {}) {
    const { tensors, core } = partTensors(options);
    return this.#core.call((module) => module.runBytes(/** @type {Config} */ (config), core, tensors ?? []));
  }

  /**
   * A Python file with the layer as an `nn.Module`. Run by itself it compares this estimate with
   * PyTorch and prints OK, or MISMATCH and exits with 1.
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @param {ConfigArgument<L, C>} config
   * @param {{self_check?: boolean, mask?: boolean, imports?: string[],
   *   training?: import('./trainer.js').TrainerOptions}} [options]
   *   `self_check: false` leaves only the module; `mask: true` makes its forward() take the layer's masks, which are
   *   left out otherwise; `imports` are lines such as `import torch` that code of yours after it needs; `training`, the
   *   options of a trainer, prints the first steps of its training instead of the check: the layer is trained here for
   *   them, and the file holds PyTorch against its losses and gradients
   * @returns {string}
   */
  pytorch(config, options = {}) {
    if (isPlain(options) && /** @type {any} */ (options).training !== undefined) {
      const { training } = checkOptions('pytorch', { training: () => false }, options);
      return trainingScript(this, config, training, trainerOptions(training, 'training').recipe);
    }
    const { imports, core } = partImports(options);
    const source = this.#core.call((module) => module.pytorch(/** @type {Config} */ (config), core));
    return imports.length ? withImports(source, imports) : source;
  }

  /**
   * A layer with the weights that `torch.manual_seed(seed)` gives the module of `pytorch(config)`.
   *
   * `storage` is the format in which linear layers with more than one output read their weights and, but for int8, in
   * which the KV cache rests; `model.storage` names the format of each parameter and of the cache. All arithmetic stays
   * float32, but of int8: linear layers multiply integers (weights with one scale an output feature, activations
   * quantized as they come, with one scale a position), and the KV cache stays float32. Other parameters, and what
   * `stateDict` returns, stay float32.
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @param {ConfigArgument<L, C>} config
   * @param {{seed?: number, storage?: Format}} [options] 0 and 'float32' by default
   * @returns {Model<Known<C>>} holds memory until `dispose()`
   */
  create(config, options = {}) {
    const model = this.#core.call((module) => module.create(/** @type {Config} */ (config), options));
    return new Model(this.#core, /** @type {import('./core/core.js').Model} */ (model));
  }

  /**
   * A layer that learns, from the weights that `torch.manual_seed(seed)` gives it.
   * @template {LayerName | (string & {})} const L
   * @template const C
   * @param {ConfigArgument<L, C>} config
   * @param {import('./trainer.js').TrainerOptions} [options]
   * @returns {Trainer<Known<C>>} holds memory until `dispose()`
   */
  trainer(config, options = {}) {
    const { create, core, recipe } = trainerOptions(options);
    const handle = this.#core.call((module) => module.createTrainer(/** @type {Config} */ (config), create, ...core));
    return new Trainer(this.#core, /** @type {import('./core/core.js').Model} */ (handle), recipe);
  }

  /**
   * What `torch.manual_seed(seed); torch.randn(shape)` gives, to a few ULP.
   * @param {readonly number[]} shape
   * @param {{seed?: number}} [options] 0 by default
   * @returns {Tensor}
   */
  randn(shape, options = {}) {
    return this.#core.call((module) => module.randn(shape, options));
  }

  /**
   * What `torch.manual_seed(seed); torch.randint(high, shape)` gives: token ids, say.
   * @param {number} high above every number, at most 2 ** 31
   * @param {readonly number[]} shape
   * @param {{seed?: number}} [options] 0 by default
   * @returns {Ids}
   */
  randint(high, shape, options = {}) {
    return this.#core.call((module) => module.randint(high, shape, options));
  }

  /**
   * A tensor that lives in the core: forward() reads it where it is, where it copies others.
   * @overload
   * @param {Float32Array | Halves} data is copied; 16 bits are widened
   * @param {readonly number[]} shape
   * @returns {ResidentTensor} holds memory until `dispose()`
   */
  /**
   * The same of floats that come as 16 bits.
   * @overload
   * @param {Uint16Array} data is copied
   * @param {readonly number[]} shape
   * @param {{dtype: HalfFormat}} options what the bits are
   * @returns {ResidentTensor} holds memory until `dispose()`
   */
  /**
   * The same of a mask's bytes.
   * @overload
   * @param {Uint8Array} data is copied
   * @param {readonly number[]} shape
   * @returns {ResidentTensor<'uint8'>} holds memory until `dispose()`
   */
  /**
   * The same of integers, token ids say.
   * @overload
   * @param {Int32Array} data is copied
   * @param {readonly number[]} shape
   * @returns {ResidentTensor<'int32'>} holds memory until `dispose()`
   */
  /**
   * @param {ArrayBufferView} data
   * @param {readonly number[]} shape
   * @param {{dtype?: HalfFormat}} [options]
   * @returns {ResidentTensor<any>}
   */
  tensor(data, shape, options = {}) {
    const tensor = this.#core.call((module) => module.tensor(data, shape, options));
    return new ResidentTensor(this.#core, /** @type {import('./core/core.js').ResidentTensor} */ (tensor));
  }

  /**
   * What this engine reaches with these threads: multiply-adds in registers, and reading `read_bytes` (64 MiB, if not
   * given) of memory from front to back. Takes some 150 ms.
   * @param {{read_bytes?: number}} [options]
   * @returns {{flops_per_second: number, bytes_per_second: number}}
   */
  measurePeaks(options = {}) {
    return this.#core.call((module) => module.measurePeaks(options));
  }

  /**
   * Frees every model and tensor that was made here, and ends the threads. Whatever is called afterwards throws an
   * error that says so; a second call does nothing.
   * @throws {Error} when called from a getter of an input that is being read, or from `progress`
   */
  dispose() {
    this.#core.dispose();
  }

  /**
   * dispose(), called by `using`.
   * @ts-ignore for users whose `lib` is older; it works on the line after the comment's last one. */
  [Symbol.dispose]() {
    this.dispose();
  }
}
