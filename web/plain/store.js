// What the user typed, what is wrong with it, and the last result that was right. No DOM.

import { ASIDE, WITH_MASKS, asideRefusals, runRefusals } from './aside.js';
import { configOf, fitsField, parseField } from './fields.js';
import { keyOf } from './key.js';
import { NO_MODEL, identityOf, makesModel } from './model.js';
import { readPin } from './pin.js';
import { quoted, shortened } from './search.js';
import { PyTorchSource, maskArguments } from './pytorch-source.js';

/**
 * @typedef {import('./fields.js').Values} Values
 * @typedef {import('./fields.js').Layer} Layer
 * @typedef {{ gesture?: string, model?: Record<string, string>, code?: string, notice?: string }} Edit `model`: what
 *   the link says of the model that the values are; `code`: 'masks' where the PyTorch code takes masks; `notice`: what
 *   is said until the next edit
 * @typedef {{ memory: import('../lib/index.js').TrainingMemory | null, none: string }} Training none: why
 * @typedef {import('../lib/index.js').Attnscope} Scope
 * @typedef {import('../lib/index.js').Estimate} Estimate
 * @typedef {import('../lib/index.js').EstimateFigures} EstimateFigures
 */

/** More than charts and tables ask for before and after an edit. */
const MOST_KEPT = 2048;
/** The layer's and the pin's, and those of some edits before. */
const MOST_TRAININGS = 8;

/** Sends `change` after each edit; `event.detail.gesture` is the same text while one slider or box is being moved. */
export class Store extends EventTarget {
  #shown = false;
  #seed = 0;
  /**
   * Figures by their configuration as text; null for one that the core refuses.
   * @type {Map<string, EstimateFigures | null>}
   */
  #kept = new Map();
  /** @type {{ key: string, printed: PyTorchSource } | undefined} */
  #source;
  /** That of the layer and that of the pin, by their configuration as text. @type {Map<string, Training>} */
  #training = new Map();
  /** Of `config`. */
  estimate = /** @type {Estimate} */ (/** @type {unknown} */ (null));

  /** @param {Scope} scope @param {Values} [initial] @param {string[]} [repeated] what a link says more than once */
  constructor(scope, initial = {}, repeated = []) {
    super();
    this.scope = scope;
    this.layers = scope.layers();
    this.formats = scope.formats();
    /** @type {Values} */
    this.values = {};
    /** @type {Record<string, string>} */
    this.errors = {};
    /** What is wrong with the seed, which no estimate depends on. */
    this.seedError = '';
    /**
     * What is left out of a link: the core's messages about keys that its layer has no field for, and about a pin that
     * cannot be, and those about how the layer cannot be looked at.
     * @type {string[]}
     */
    this.leftOut = [];
    /** What is said until the next edit. */
    this.notice = '';
    /** Whether a file was refused since the last edit: the figures are not of what was handed in last. */
    this.refused = false;
    /** Texts by those names that have one. @type {Record<string, string>} */
    this.aside = {};
    /** The configuration that others are held against. @type {Values | null} */
    this.pinned = null;
    this.config = configOf(this.layers[0], {});
    this.#assign(initial, repeated);
    this.#check();
    this.#checkAside();
    if (!this.#shown) this.estimate = estimateOf(scope, this.config);
  }

  /** The registry's entry for the chosen layer. */
  get layer() {
    return this.layers.find((layer) => layer.name === this.values.layer) ?? this.layers[0];
  }

  /** The last seed that was valid. */
  get seed() {
    return this.#seed;
  }

  get valid() {
    return Object.keys(this.errors).length === 0;
  }

  /** Whether the figures are of what was entered or handed in last. */
  get current() {
    return this.valid && !this.refused;
  }

  /** Notes that a file was refused, or that it is gone. @param {boolean} refused */
  refuse(refused) {
    this.refused = refused;
    this.dispatchEvent(new CustomEvent('change', { detail: {} }));
  }

  /**
   * The figures of each configuration, or null where the core refuses it, by one call of the core at the most: the last
   * ones are kept, as tables and charts ask anew.
   * @param {Values[]} configs
   */
  figures(configs) {
    const keys = configs.map(keyOf);
    const unknown = new Map(keys.map((key, index) => [key, configs[index]]));
    for (const key of this.#kept.keys()) unknown.delete(key);
    const answers = unknown.size ? this.scope.estimates(/** @type {any[]} */ ([...unknown.values()])) : [];
    [...unknown.keys()].forEach((key, index) => {
      const answer = answers[index];
      this.#kept.set(key, 'error' in answer ? null : answer);
    });
    const figures = keys.map((key) => this.#kept.get(key) ?? null);
    if (this.#kept.size > MOST_KEPT) this.#kept.clear();
    return figures;
  }

  /** Those of the pinned configuration. @returns {EstimateFigures | null} */
  get pinnedFigures() {
    return this.pinned && this.figures([this.pinned])[0];
  }

  /** Keeps the configuration that is shown, to hold the next ones against. */
  pin() {
    this.#keep({ ...this.config });
  }

  unpin() {
    this.#keep(null);
  }

  /** @param {Values | null} config */
  #keep(config) {
    this.pinned = config;
    this.leftOut = [];
    this.dispatchEvent(new CustomEvent('change', { detail: {} }));
  }

  /** The layer as PyTorch source. */
  get source() {
    const mask = this.aside.code === WITH_MASKS;
    const key = keyOf([this.config, mask]);
    if (key !== this.#source?.key) this.#source = { key, printed: new PyTorchSource(this.scope, this.config, mask) };
    return this.#source.printed;
  }

  /** The memory of a whole step of training with Adam, or why there is none. */
  get training() {
    return this.#trainingOf(this.config, this.estimate);
  }

  /** That of the pinned configuration. */
  get pinnedTraining() {
    const { pinned, pinnedFigures } = this;
    return pinned && pinnedFigures && this.#trainingOf(pinned, pinnedFigures);
  }

  /** @param {Values} config @param {EstimateFigures} estimate of it @returns {Training} */
  #trainingOf(config, estimate) {
    const key = keyOf(config);
    const known = this.#training.get(key);
    if (known) return known;
    const training = this.#readTraining(config, estimate);
    if (this.#training.size >= MOST_TRAININGS) this.#training.clear();
    this.#training.set(key, training);
    return training;
  }

  /** @param {Values} config @param {EstimateFigures} estimate @returns {Training} */
  #readTraining(config, { parameters, memory }) {
    const none = (/** @type {string} */ why) => ({ memory: null, none: why });
    if (parameters === 0) return none('there is nothing to learn');
    if (memory.kept_for_backward === null) return none(`${config.dtype} is a format for inference`);
    const options = /** @type {const} */ ({ steps: false, training: { loss: 'mse_loss', optimizer: 'adam' } });
    try {
      return { memory: this.scope.estimate(/** @type {any} */ (config), options).training.memory, none: '' };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return none(error.message);
    }
  }

  /**
   * How the layer is looked at; '' forgets.
   * @param {Record<string, string>} patch @param {Edit} [edit]
   */
  look(patch, { gesture } = {}) {
    this.aside = nonempty({ ...this.aside, ...patch });
    this.dispatchEvent(new CustomEvent('change', { detail: { gesture } }));
  }

  /** @param {Values} patch @param {Edit} [edit] */
  set(patch, { gesture, model, code, notice = '' } = {}) {
    const [before, identity] = [this.layer, identityOf(this.config)];
    this.leftOut = [];
    this.notice = notice;
    this.refused = false;
    Object.assign(this.values, patch);
    if (this.layer !== before) this.#dropUnfit(Object.keys(patch));
    this.#check();
    if (model || identityOf(this.config) !== identity) this.aside = nonempty({ ...this.aside, ...NO_MODEL, ...model });
    this.#setCode(code ?? this.aside.code ?? '');
    this.dispatchEvent(new CustomEvent('change', { detail: { gesture } }));
  }

  /** A layer without masks has no code that takes them. @param {string} asked */
  #setCode(asked) {
    const code = maskArguments(this.estimate).length ? asked : '';
    if (code !== (this.aside.code ?? '')) this.aside = nonempty({ ...this.aside, code });
  }

  /**
   * Forgets values that were right for the layer before and are not for this one: the defaults stand in.
   * @param {string[]} kept names of new values
   */
  #dropUnfit(kept) {
    for (const field of this.layer.fields) {
      const { name } = field;
      if (kept.includes(name) || name in this.errors || !(name in this.values)) continue;
      if (!fitsField(field, parseField(field, this.values[name]))) delete this.values[name];
    }
  }

  /**
   * Forgets every value that is not given: the state of a link.
   * @param {Values} values @param {string[]} [repeated] what the link says more than once
   */
  load(values, repeated = []) {
    this.#assign(values, repeated);
    this.notice = '';
    this.refused = false;
    this.#check();
    this.#checkAside();
    this.dispatchEvent(new CustomEvent('change', { detail: { gesture: 'load' } }));
  }

  /** @param {Values} values and `pin`, as writePin writes it @param {string[]} repeated */
  #assign({ pin, ...values }, repeated) {
    const known = new Set([
      'layer',
      'seed',
      ...this.layers.flatMap((layer) => layer.fields.map((field) => field.name))
    ]);
    this.values = Object.fromEntries(Object.entries(values).filter(([name]) => known.has(name)));
    this.aside = nonempty(Object.fromEntries(ASIDE.map((name) => [name, String(values[name] ?? '')])));
    this.values.layer ??= this.layers[0].name;
    const isKnown = this.layer.name === this.values.layer;
    const own = isKnown ? new Set(['layer', 'seed', ...this.layer.fields.map(({ name }) => name)]) : known;
    const strangers = Object.keys(values).filter((name) => !own.has(name) && !ASIDE.includes(name));
    this.leftOut = [
      ...repeated,
      ...strangers.map((name) => this.refusal({ layer: this.layer.name, [name]: values[name] }))
    ];
    const { model } = this.aside;
    if (model && !Object.keys(this.values).some(makesModel)) {
      this.aside = nonempty({ ...this.aside, ...NO_MODEL });
      this.leftOut.push(`model ${quoted(model)} comes without the fields of its config.json`);
    }
    this.#assignPin(pin);
  }

  /** Leaves out of a link what means nothing to its layer; where that is not valid it cannot be told. */
  #checkAside() {
    if (!this.valid) return;
    this.#leaveOut(asideRefusals(this.aside, this));
    this.#checkRun();
  }

  /** What judges the parts of a run comes after the link, and sends a `change` only if it refuses one. */
  async #checkRun() {
    const { aside, scope, config, estimate } = this;
    const refusals = Object.entries(await runRefusals(aside, { scope, config, estimate }));
    const still = refusals.filter(([name]) => this.aside[name] === aside[name]);
    if (still.length === 0) return;
    this.#leaveOut(Object.fromEntries(still));
    this.dispatchEvent(new CustomEvent('change', { detail: { gesture: 'load' } }));
  }

  /** @param {Record<string, string>} refusals messages about parts of `aside` */
  #leaveOut(refusals) {
    this.leftOut.push(...Object.values(refusals));
    this.aside = Object.fromEntries(Object.entries(this.aside).filter(([name]) => !Object.hasOwn(refusals, name)));
  }

  /** @param {unknown} text */
  #assignPin(text) {
    const config = typeof text === 'string' && text ? readPin(this.layers, text) : null;
    const refusal = config && this.refusal(config);
    if (refusal) this.leftOut.push(`The pinned configuration: ${refusal}`);
    this.pinned = refusal ? null : config;
  }

  #checkSeed() {
    const raw = this.values.seed ?? 0;
    const seed = raw === '' || !Number.isFinite(Number(raw)) ? shortened(String(raw)) : Number(raw);
    this.seedError = this.#seedRefusal(seed);
    if (!this.seedError) this.#seed = Number(seed);
  }

  /** What the core says against a seed. It takes every integer that is exact, from 0 on. @param {unknown} seed */
  #seedRefusal(seed) {
    if (Number.isSafeInteger(seed) && Number(seed) >= 0) return '';
    return messageOf(() => this.scope.randn([1], { seed: /** @type {any} */ (seed) }));
  }

  #check() {
    this.#checkSeed();
    this.errors = {};
    if (this.layer.name !== this.values.layer) this.errors.layer = this.refusal({ layer: this.values.layer });
    const trial = configOf(this.layer, this.values);
    if (this.#shown && keyOf(trial) === keyOf(this.config)) return;
    const estimate = this.#estimateRepaired(trial);
    if (!estimate) return;
    this.#kept.set(keyOf(trial), estimate);
    if (this.valid || !this.#shown) {
      this.config = trial;
      this.estimate = estimate;
    }
    this.#shown = true;
  }

  /** What the core says against a configuration. @param {Values} config */
  refusal(config) {
    return messageOf(() => this.scope.estimate(/** @type {any} */ (config), { steps: false }));
  }

  /**
   * Collects the message of each field that the core refuses, putting the last valid value in its place to find the
   * next.
   * @param {Values} trial
   */
  #estimateRepaired(trial) {
    for (;;) {
      try {
        return estimateOf(this.scope, trial);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        const name = /** @type {any} */ (error).field ?? '';
        if (name in this.errors || !(name in trial)) {
          this.errors[name] ??= error.message;
          return null;
        }
        this.errors[name] = error.message;
        trial[name] = this.config[name] ?? configOf(this.layer, {})[name];
      }
    }
  }
}

/** @param {Record<string, string>} texts */
const nonempty = (texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));

/** The core judges what the form holds. @param {Scope} scope @param {Values} config @returns {Estimate} */
const estimateOf = (scope, config) => scope.estimate(/** @type {any} */ (config));

/** The message of the error that a call throws, or ''. @param {() => unknown} call */
function messageOf(call) {
  try {
    call();
    return '';
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}
