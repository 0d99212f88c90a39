import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { LightElement, define } from '../shared/light-element.js';
import { copyAndSay, downloadText } from '../shared/clipboard.js';
import { formatBytes, formatList } from '../../plain/format.js';
import { Engine } from './engine.js';
import { needsOf } from '../../plain/limits.js';
import { maskPlanes } from '../../plain/mask.js';
import { readMasks, writeMasks } from '../../plain/mask-text.js';
import { tensorBetween } from '../../plain/between.js';
import { checkExplained, explainable } from './explainable.js';
import { betweenView } from './between-view.js';
import { inputsView, ownView, smallSizes } from './inputs-view.js';
import { marksOf } from './marks.js';
import { openWorker } from './open-worker.js';
import { pythonScript } from '../../plain/python.js';
import { DRAWN, givenOf, isNeeded, withStart } from '../../plain/inputs.js';
import { isSmall, problemsOf } from '../../plain/own-numbers.js';
import { gridCsv, titleView, toolsView } from './shown-view.js';
import { speedView } from './speed-view.js';
import { coming, emptyView, headView, needsView, sameView } from './view.js';
import '../heat-map/heat-map.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('./worker.js').Outcome} Outcome
 * @typedef {import('../heat-map/drawn.js').Drawn} Drawn
 * @typedef {import('../../plain/mask.js').Masks} Masks
 * @typedef {{ stage: string, done: number }} Progress
 * @typedef {import('../../plain/inputs.js').Given} Given
 * @typedef {{ key: string, config: any, seed: number, given: Given, masks: Masks, outcome: Outcome,
 *   python: string }} Result `python`: a file that gives the same numbers
 */

/** Configurations up to this size run by themselves when the panel is in view. */
const QUICK_FLOPS = 2e9;
const QUICK_BYTES = 2 ** 27;
const SETTLE_MS = 350;

/** Executes the layer. `.store`, `.config` (the last valid one), `.estimate`, `.seed`, `.aside` (of the store). */
export class RunPanel extends LightElement {
  static properties = {
    store: {},
    config: {},
    estimate: {},
    seed: {},
    seedError: {},
    aside: {},
    progress: { state: true },
    result: { state: true },
    timing: { state: true },
    failure: { state: true },
    masks: { state: true },
    said: { state: true }
  };

  /** Of what `masks` were read. */
  #maskKey = '';

  constructor() {
    super();
    /** @type {Store | null} */
    this.store = null;
    /** @type {any} */
    this.config = null;
    /** @type {any} */
    this.estimate = null;
    this.seed = 0;
    this.seedError = '';
    /** How the layer is looked at. @type {Record<string, string>} */
    this.aside = {};
    /** The estimate, with the names of tensors between the steps. @type {any} */
    this.listed = {};
    /** Inputs as the link has them. @type {Given} */
    this.asked = DRAWN;
    /** The same, with numbers to start from where none were typed yet. @type {Given} */
    this.given = DRAWN;
    /** @type {Progress | null} */
    this.progress = null;
    /** @type {Result | null} */
    this.result = null;
    /** How fast `result` was. @type {import('./speed-view.js').Timing} */
    this.timing = { speed: null, said: '' };
    this.failure = '';
    /** What came of copying. */
    this.said = '';
    /** @type {Masks} */
    this.masks = {};
    /** @type {Engine<import('./worker.js').Job, Outcome, Progress>} */
    this.engine = new Engine(openWorker, { stage: 'Opening the module', done: 0 });
    /** What answers for cells, and of what. @type {any} */
    this.explaining = {};
    /** Of `config`. @type {import('../../plain/limits.js').Needs} */
    this.needs = { bytes: 0, fits: true, refusal: '', offers: [] };
    this.visible = false;
    this.timer = 0;
    /** What was started last; an earlier run that this one has cancelled has nothing to say. */
    this.running = { key: '' };
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new IntersectionObserver((entries) => {
      this.visible = entries.some((entry) => entry.isIntersecting);
      this.#runSoon();
    });
    this.observer.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer?.disconnect();
    clearTimeout(this.timer);
    queueMicrotask(() => this.isConnected || this.#stop());
  }

  /** Removed, and not only moved. */
  #stop() {
    this.running = { key: '' };
    this.progress = null;
    this.engine.dispose();
  }

  /** @param {Map<string, any>} changed */
  willUpdate(changed) {
    if (changed.has('config') && this.store) {
      this.needs = needsOf(this.store.scope, this.config);
      this.listed = this.needs.refusal ? {} : this.store.scope.estimate(this.config, { tensors: true });
    }
    if (changed.has('aside') || changed.has('estimate') || changed.has('seed')) this.#readAside();
    if (changed.has('config') || changed.has('seed') || changed.has('aside')) this.#runSoon();
  }

  /** @param {Map<string, any>} changed */
  update(changed) {
    this.handFocus('[data-action="cancel"], [data-fit]', '[data-action="run"]', () => super.update(changed));
  }

  /** The tensor between the steps that was chosen to be drawn. */
  get between() {
    const { tensor } = this.aside;
    return (tensor && tensorBetween(this.listed, tensor)) || null;
  }

  /** What the link says of masks and inputs, as far as it fits the layer. */
  #readAside() {
    const { mask = '', inputs = '', numbers = '' } = this.aside;
    const key = JSON.stringify([mask, maskPlanes(this.estimate?.inputs ?? [])]);
    if (key !== this.#maskKey) {
      this.#maskKey = key;
      this.masks = readMasks(mask, maskPlanes(this.estimate?.inputs ?? []));
    }
    this.asked = givenOf(inputs, numbers);
    if (!this.store) return;
    const given = withStart(this.store.scope, this.#needed, this.seed, this.asked);
    if (JSON.stringify(given) !== JSON.stringify(this.given)) this.given = given;
  }

  /** The inputs without which the layer does not run. @returns {any[]} */
  get #needed() {
    return (this.estimate?.inputs ?? []).filter(isNeeded);
  }

  /** Whether a number that was given by hand is none. */
  get #isWrong() {
    const { own } = this.given;
    return this.#needed.some(
      ({ name, shape }) => own[name] && isSmall(shape) && problemsOf(name, own[name], shape).length > 0
    );
  }

  get key() {
    return JSON.stringify([this.config, this.seed, this.given, this.between?.name]);
  }

  /** Whether a run of what the form says is under way; a run of anything else may be replaced. */
  get busy() {
    return this.progress !== null && this.running.key === this.key;
  }

  #runSoon() {
    clearTimeout(this.timer);
    if (!this.visible || !this.config || this.result?.key === this.key || this.busy || this.#isWrong) return;
    if (this.estimate.flops > QUICK_FLOPS || this.needs.bytes > QUICK_BYTES) return;
    this.timer = window.setTimeout(() => this.start(), SETTLE_MS);
  }

  /** What the button does: runs, or leads to the number that is wrong. */
  #press() {
    if (!this.#isWrong) return this.start();
    for (const grid of this.renderRoot.querySelectorAll('attnscope-numbers'))
      if (/** @type {import('./number-grid.js').NumberGrid} */ (grid).focusProblem()) return undefined;
    return undefined;
  }

  /** Runs now; a run under way is cancelled. */
  async start() {
    clearTimeout(this.timer);
    const { key, config, seed, masks, given, between } = this;
    const running = { key };
    this.running = running;
    this.failure = '';
    this.progress = { stage: 'Starting', done: 0 };
    const report = (/** @type {Progress} */ progress) => {
      if (this.progress && running === this.running) this.progress = progress;
    };
    try {
      const outcome = await this.engine.run({ config, seed, masks, given, between }, report);
      if (running !== this.running) return;
      const drawn = outcome.drawn.map((one) => ({ ...one, marks: marksOf(one, outcome.inputs, given) }));
      const python = this.#pythonOf(outcome, { config, seed, masks, given });
      this.result = { key, config, seed, given, masks, outcome: { ...outcome, drawn }, python };
      this.progress = null;
      this.#time(this.result);
    } catch (error) {
      if (running === this.running) this.#onFailure(/** @type {Error} */ (error));
    }
  }

  /** @param {Outcome} outcome @param {Pick<Result, 'config' | 'seed' | 'masks' | 'given'>} how */
  #pythonOf(outcome, { config, seed, masks, given }) {
    const { scope, layers } = /** @type {Store} */ (this.store);
    const className = layers.find((known) => known.name === config.layer)?.pytorch_class ?? '';
    const mask = outcome.masks.some(({ name }) => masks[name]);
    const source = scope.pytorch(config, { self_check: false, mask, imports: ['import torch'] });
    return pythonScript(source, outcome, { seed, masks, className, given });
  }

  /** How fast it was, which nobody has to wait for. @param {Result} result */
  async #time(result) {
    const tell = (/** @type {import('./speed-view.js').Timing} */ timing) => {
      if (result === this.result) this.timing = timing;
    };
    tell({ speed: null, said: 'to be measured' });
    try {
      const speed = await this.engine.time(({ stage }) => tell({ speed: null, said: stage }));
      if (speed) tell({ speed, said: '' });
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      tell({ speed: null, said: name === 'AbortError' ? 'not measured' : message });
    }
  }

  /** Takes back what was painted on the masks since the last result. @param {Error} error */
  #onFailure(error) {
    this.progress = null;
    this.failure = error.name === 'AbortError' ? 'Cancelled.' : error.message;
    if (this.result?.key === this.key) this.#keepMasks(this.result.masks);
  }

  /** @param {string} name @param {Uint8Array | null} mask */
  #setMask(name, mask) {
    const { [name]: _, ...others } = this.masks;
    this.#keepMasks(mask?.includes(0) ? { ...others, [name]: mask } : others);
    if (this.config) this.start();
  }

  /** @param {Masks} masks */
  #keepMasks(masks) {
    const mask = writeMasks(masks);
    this.masks = masks;
    this.#maskKey = JSON.stringify([mask, maskPlanes(this.estimate?.inputs ?? [])]);
    this.store?.look({ mask });
  }

  render() {
    const { store } = this;
    if (!store || !this.config) return nothing;
    const { fits } = this.needs;
    const idle = fits && !this.busy && store.valid;
    const look = (/** @type {Record<string, string>} */ patch, /** @type {any} */ edit) => store.look(patch, edit);
    return html`
      ${headView({
        seed: store.values.seed ?? 0,
        seedError: store.seedError,
        again: this.result !== null,
        idle,
        progress: this.progress,
        cancel: () => this.engine.cancel(),
        type: (/** @type {any} */ event) => store.set({ seed: event.target.value.trim() }, { gesture: 'box:seed' }),
        run: () => idle && this.#press()
      })}
      ${inputsView(this.estimate?.inputs ?? [], this.given, look)}
      ${fits ? nothing : needsView(this.needs, store.scope.memoryLimit, (patch) => store.set(patch))}
      ${this.failure ? html`<p class="field-error" role="alert">${this.failure}</p>` : nothing}
      ${this.#stage(store)}`;
  }

  /** One's own numbers, and beside them what the run has made of them. @param {Store} store */
  #stage(store) {
    const { result } = this;
    const own = ownView(this.#needed, this.given, this.asked, {
      look: (patch, edit) => store.look(patch, edit),
      small: smallSizes(this.config, (config) => store.refusal(config)),
      set: (patch) => store.set(patch)
    });
    const stale = result !== null && result.key !== this.key;
    const before = stale || this.failure !== '';
    const state = before ? 'stale' : 'fresh';
    const dimmed = before ? 'stale' : '';
    return html`
      ${result && before ? html`<p class="stale-note">These results are of the run before: ${result.config.layer} on ${formatList(result.outcome.inputs[0].shape)}.</p>` : nothing}
      <div class="run-results" data-run=${result ? state : nothing}>
        <div class="run-view">
          ${own}
          ${result ? html`<div class=${`run-shown ${dimmed}`}>${this.#shown(store, result, stale)}</div>` : this.needs.fits ? this.#empty() : nothing}
        </div>
        ${result ? html`<div class=${`run-more ${dimmed}`}>${this.#more(store, result)}</div>` : nothing}
      </div>`;
  }

  /** What stands below the heat map. @param {Store} store @param {Result} result */
  #more(store, result) {
    const { config, outcome } = result;
    const [figures] = store.figures([{ ...config, dtype: 'float32' }]);
    return html`
      ${figures ? speedView(figures, config.dtype, this.timing, outcome.build) : nothing}
      ${sameView(result, this.#fileActions(result))}`;
  }

  #empty() {
    const { bytes } = this.needs;
    if (this.#isWrong)
      return emptyView('Waiting for numbers', 'The run starts by itself as soon as each cell has a number.');
    if (this.progress || this.estimate.flops <= QUICK_FLOPS) return coming();
    return emptyView(
      'Not run yet',
      html`It takes ${formatBytes(bytes)} of memory in this browser and may take a while: <b>Run it</b> starts it, and it can be cancelled.`
    );
  }

  /** @param {Store} store @param {Result} result @param {boolean} stale */
  #shown(store, result, stale) {
    const { outcome } = result;
    const name = this.between?.name ?? this.aside.tensor;
    const drawn = outcome.drawn.find((one) => one.name === name) ?? outcome.drawn[0];
    const { mask } = drawn;
    const choose = (/** @type {string} */ tensor) => store.look({ tensor });
    return html`
      ${titleView(drawn, outcome, betweenView(this.listed, this.aside.tensor ?? '', choose), choose)}
      <attnscope-heat-map .drawn=${drawn} .mask=${live((stale ? result : this).masks[mask] ?? null)}
        ?fixed=${stale || !mask} .explain=${this.#explain(result, drawn, stale)}
        @mask-change=${(/** @type {CustomEvent} */ event) => this.#setMask(mask, event.detail.mask)}></attnscope-heat-map>
      ${toolsView(drawn, outcome, {
        masks: this.masks,
        stale,
        setMask: (name, mask) => this.#setMask(name, mask),
        save: () => this.#saveShown(drawn.name)
      })}`;
  }

  /**
   * What answers for cells of what is drawn: the same function for the same run, so that no cell is asked for twice.
   * @param {Result} result @param {Drawn} drawn @param {boolean} stale
   */
  #explain(result, { name }, stale) {
    const known = this.explaining;
    if (known.result === result && known.name === name && known.stale === stale) return known.explain;
    const which = stale ? null : explainable(this.listed, name);
    const { config, seed, given, masks } = result;
    const explain = (/** @type {import('../../lib/index.js').ExplainOptions} */ at) => {
      checkExplained(this.listed);
      return this.engine.ask('explain', { config, seed, given, masks, at: { ...at, ...which } });
    };
    this.explaining = { result, name, stale, explain: which && explain };
    return this.explaining.explain;
  }

  /** @param {Result} result */
  #fileActions({ config, python }) {
    const filename = `${config.layer}_run.py`;
    return {
      said: this.said,
      filename,
      copy: () => copyAndSay(python, (said) => (this.said = said)),
      download: () => downloadText(filename, python, 'text/x-python')
    };
  }

  /** The plane that is seen, as comma-separated values. @param {string} name */
  #saveShown(name) {
    const { grid } = /** @type {import('../heat-map/heat-map.js').HeatMap} */ (
      this.renderRoot.querySelector('attnscope-heat-map')
    );
    if (grid) downloadText(`${name}.csv`, gridCsv(grid), 'text/csv');
  }
}

define('attnscope-run', RunPanel);
