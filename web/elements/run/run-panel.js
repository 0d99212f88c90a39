import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { LightElement, define } from '../shared/light-element.js';
import { downloadText } from '../shared/clipboard.js';
import { formatBytes, formatList, formatShape } from '../../plain/format.js';
import { Engine } from './engine.js';
import { needsOf } from '../../plain/limits.js';
import { causalMask, maskPlanes, paddedMask } from '../../plain/mask.js';
import { openWorker } from './open-worker.js';
import { pythonLines } from '../../plain/python.js';
import { buildView, needsView, outcomeView, pooledView } from './view.js';
import { segments } from '../form/form.js';
import '../heat-map/heat-map.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('./worker.js').Outcome} Outcome
 * @typedef {import('../heat-map/drawn.js').Drawn} Drawn
 * @typedef {import('../../plain/mask.js').Masks} Masks
 * @typedef {{ stage: string, done: number }} Progress
 * @typedef {{ key: string, config: any, seed: number, masks: Masks, outcome: Outcome, python: string }} Result
 */

/** Configurations up to this size run by themselves when the panel is in view. */
const QUICK_FLOPS = 2e9;
const QUICK_BYTES = 2 ** 27;
const SETTLE_MS = 350;

/** Executes the layer. `.store`, `.config` (the last valid one), `.estimate`, `.seed`. */
export class RunPanel extends LightElement {
  static properties = {
    store: {},
    config: {},
    estimate: {},
    seed: {},
    seedError: {},
    progress: { state: true },
    result: { state: true },
    failure: { state: true },
    masks: { state: true },
    shown: { state: true }
  };

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
    /** @type {Progress | null} */
    this.progress = null;
    /** @type {Result | null} */
    this.result = null;
    this.failure = '';
    /** @type {Masks} */
    this.masks = {};
    /** Name of the tensor that was chosen to be drawn. */
    this.shown = '';
    /** @type {Engine<import('./worker.js').Job, Outcome, Progress>} */
    this.engine = new Engine(openWorker, { stage: 'Opening the module', done: 0 });
    /** Of `config`. @type {import('../../plain/limits.js').Needs} */
    this.needs = { bytes: 0, fits: true, offers: [] };
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
    if (changed.has('config') && this.store) this.needs = needsOf(this.store.scope, this.config);
    if (changed.has('estimate')) this.#dropUnfit(changed.get('estimate')?.inputs ?? []);
    if (changed.has('config') || changed.has('seed')) this.#runSoon();
  }

  /** @param {Map<string, any>} changed */
  update(changed) {
    this.handFocus('[data-action="cancel"], [data-fit]', '[data-action="run"]', () => super.update(changed));
  }

  /** Drops the masks of inputs that are gone, or have other rows and columns. @param {any[]} before the inputs */
  #dropUnfit(before) {
    const [old, now] = [maskPlanes(before), maskPlanes(this.estimate?.inputs ?? [])].map((list) =>
      list.map((plane) => JSON.stringify(plane))
    );
    const kept = maskPlanes(before)
      .filter((_, index) => now.includes(old[index]))
      .map(({ name }) => name);
    this.masks = Object.fromEntries(Object.entries(this.masks).filter(([name]) => kept.includes(name)));
  }

  get key() {
    return JSON.stringify([this.config, this.seed]);
  }

  /** Whether a run of what the form says is under way; a run of anything else may be replaced. */
  get busy() {
    return this.progress !== null && this.running.key === this.key;
  }

  #runSoon() {
    clearTimeout(this.timer);
    if (!this.visible || !this.config || this.result?.key === this.key || this.busy) return;
    if (this.estimate.flops > QUICK_FLOPS || this.needs.bytes > QUICK_BYTES) return;
    this.timer = window.setTimeout(() => this.start(), SETTLE_MS);
  }

  /** Runs now; a run under way is cancelled. */
  async start() {
    clearTimeout(this.timer);
    const { key, config, seed, masks } = this;
    const running = { key };
    this.running = running;
    this.failure = '';
    this.progress = { stage: 'Starting', done: 0 };
    const report = (/** @type {Progress} */ progress) => {
      if (this.progress && running === this.running) this.progress = progress;
    };
    try {
      const outcome = await this.engine.run({ config, seed, masks }, report);
      if (running !== this.running) return;
      const layer = this.store?.layers.find((known) => known.name === config.layer);
      const python = pythonLines(outcome, seed, masks, layer?.pytorch_class ?? '');
      this.result = { key, config, seed, masks, outcome, python };
      this.progress = null;
    } catch (error) {
      if (running === this.running) this.#onFailure(/** @type {Error} */ (error));
    }
  }

  /** Takes back what was painted on the masks since the last result. @param {Error} error */
  #onFailure(error) {
    this.progress = null;
    this.failure = error.name === 'AbortError' ? 'Cancelled.' : error.message;
    if (this.result?.key === this.key) this.masks = this.result.masks;
  }

  /** @param {string} name @param {Uint8Array | null} mask */
  #setMask(name, mask) {
    const { [name]: _, ...others } = this.masks;
    this.masks = mask?.includes(0) ? { ...others, [name]: mask } : others;
    if (this.config) this.start();
  }

  render() {
    if (!this.store || !this.config) return nothing;
    const { bytes, fits } = this.needs;
    return html`
      <div class="panel-head">
        <h2 id="run-title" class="panel-title">Run it</h2>
        ${this.result ? buildView(this.result.outcome.build) : nothing}
      </div>
      ${this.#controls()}
      ${fits ? nothing : needsView(this.needs, this.store.scope.memoryLimit, (patch) => this.store?.set(patch))}
      ${this.failure ? html`<p class="field-error" role="alert">${this.failure}</p>` : nothing}
      ${this.result ? this.#results(this.result) : !fits ? nothing : html`<p class="note">Executes this layer here, in your browser: ${formatBytes(bytes)} of tensors, numbers as PyTorch draws them for the seed.</p>`}`;
  }

  /** The button that runs stays where it is while it runs, and so does the focus on it. */
  #controls() {
    const idle = this.needs.fits && !this.busy;
    const type = (/** @type {any} */ event) =>
      this.store?.set({ seed: event.target.value.trim() }, { gesture: 'box:seed' });
    return html`
      <div class="run-controls">
        <label class="seed">Seed <input class="number" name="seed" inputmode="numeric" autocomplete="off" .value=${String(this.store?.values.seed ?? 0)} aria-invalid=${this.store?.seedError ? 'true' : 'false'}
          aria-describedby="seed-error" @input=${type}></label>
        <button class="button primary" type="button" data-action="run" aria-disabled=${idle ? 'false' : 'true'}
          @click=${() => idle && this.start()}>Run ${this.result ? 'again' : 'it'}</button>
        ${this.progress ? html`<button class="button" type="button" data-action="cancel" @click=${() => this.engine.cancel()}>Cancel</button>` : nothing}
        <div class="progress" role="status">
          <span class="field-error" id="seed-error">${this.store?.seedError}</span>
          ${this.progress ? html`<progress max="1" .value=${this.progress.done} aria-label="Run"></progress><span>${this.progress.stage}</span>` : nothing}
        </div>
      </div>`;
  }

  /** @param {Result} result */
  #results(result) {
    const { outcome, config } = result;
    const stale = result.key !== this.key;
    const before = stale || this.failure !== '';
    const drawn = outcome.drawn.find(({ name }) => name === this.shown) ?? outcome.drawn[0];
    const { tensor, name, mask } = drawn;
    const [figures] = this.store?.figures([{ ...config, dtype: 'float32' }]) ?? [];
    return html`
      ${before ? html`<p class="stale-note">These results are of the run before: ${config.layer} on ${formatList(outcome.inputs[0].shape)}.</p>` : nothing}
      <div class=${before ? 'run-results stale' : 'run-results'} data-run=${before ? 'stale' : 'fresh'}>
        ${figures ? outcomeView(figures, result) : nothing}
        <div class="panel-head heat-head">
          <h3>${sentence(name)} <span class="panel-note">${formatShape(tensor.shape)}${noteOf(drawn)}</span></h3>
          ${
            outcome.drawn.length > 1
              ? html`<fieldset class="inline"><legend class="hidden">Show</legend>${segments(
                  'drawn',
                  outcome.drawn.map((one) => ({ value: one.name, text: one.name })),
                  name,
                  (chosen) => {
                    this.shown = chosen;
                  }
                )}</fieldset>`
              : nothing
          }
          ${this.#maskActions(result, drawn, stale)}
        </div>
        <attnscope-heat-map .drawn=${drawn} .mask=${live((stale ? result : this).masks[mask] ?? null)}
          ?fixed=${stale || !mask}
          @mask-change=${(/** @type {CustomEvent} */ event) => this.#setMask(mask, event.detail.mask)}></attnscope-heat-map>
        ${pooledView(result)}
      </div>`;
  }

  /**
   * For the mask of the tensor that is shown, else the layer's first.
   * @param {Result} result
   * @param {Drawn} drawn
   * @param {boolean} stale
   */
  #maskActions({ outcome: { masks, drawn: all } }, { name, mask: painted }, stale) {
    const plane = masks.find((one) => one.name === painted) ?? masks[0];
    const [rows, columns] = plane?.shape ?? [];
    const ofQueries = all.find(({ mask }) => mask === plane?.name)?.axes.at(-1) === 'key';
    const set = (/** @type {Uint8Array | null} */ mask) => this.#setMask(plane.name, mask);
    return html`
      <div class="actions">
        ${
          plane
            ? html`
          <button class="button small" type="button" data-action="pad" ?disabled=${stale}
            @click=${() => set(paddedMask(rows, columns, ofQueries))}>Pad the tails</button>
          ${ofQueries ? html`<button class="button small" type="button" data-action="causal" ?disabled=${stale} @click=${() => set(causalMask(rows, columns))}>Causal</button>` : nothing}
          <button class="button small" type="button" data-action="clear-mask"
            ?disabled=${stale || !this.masks[plane.name]} @click=${() => set(null)}>Clear the ${plane.name}</button>`
            : nothing
        }
        <button class="button small" type="button" @click=${() => this.#saveShown(name)}>${name}.csv</button>
      </div>`;
  }

  /** The plane that is seen, as comma-separated values. @param {string} name */
  #saveShown(name) {
    const { grid } = /** @type {import('../heat-map/heat-map.js').HeatMap} */ (
      this.renderRoot.querySelector('attnscope-heat-map')
    );
    if (grid) downloadText(`${name}.csv`, gridCsv(grid), 'text/csv');
  }
}

const NOTES = /** @type {Record<string, string>} */ ({
  weights: 'a softmax in every row',
  cross_weights: 'over the memory; a softmax in every row',
  scores: 'before softmax, where a mask has no say yet',
  pooled: 'the first position after its tanh layer',
  mask: 'painted here, hidden cells grey',
  logits: 'a score for each word of the vocabulary'
});

/** @param {Drawn} drawn */
const noteOf = ({ name, repeat }) =>
  `, ${NOTES[name] ?? 'what the layer returns'}${repeat > 1 ? `; of the last of ${repeat} layers` : ''}`;

/** `Cross weights`. @param {string} name */
const sentence = (name) => `${name[0].toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;

/** @param {import('../heat-map/raster.js').Grid} grid */
function gridCsv({ data, rows, columns }) {
  const lines = Array.from({ length: rows }, (_, row) => data.subarray(row * columns, (row + 1) * columns).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

define('attnscope-run', RunPanel);
