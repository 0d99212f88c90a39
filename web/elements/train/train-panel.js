import { html } from 'lit';
import { LightElement, define } from '../shared/light-element.js';
import { download } from '../shared/clipboard.js';
import { pageScope } from '../shared/scope.js';
import { thumbnails } from '../heat-map/raster.js';
import { runCsv } from '../../plain/train/history.js';
import { packSafetensors } from '../../plain/train/safetensors.js';
import { checkSettings, searchOf, taskOf } from '../../plain/train/settings.js';
import { learnedText } from '../../plain/train/learned.js';
import { Player } from './player.js';
import { trainView } from './view.js';
import '../heat-map/heat-map.js';

/**
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {import('../../plain/train/settings.js').Checked} Checked
 * @typedef {import('../heat-map/drawn.js').Drawn} Drawn
 * @typedef {typeof import('./curves.js')} Draw
 * @typedef {import('./curves.js').Kind} Kind
 * @typedef {{ key: unknown[], time: number, made: Element | null }} Curve
 */

/** Curves are drawn anew at most this often while training runs. */
const CURVES_MS = 150;
const THUMBNAIL = 64;

/** @type {readonly Kind[]} */
const KINDS = ['accuracy', 'loss'];
/** @type {Curve} */
const undrawn = { key: [], time: 0, made: null };

/** Trains a layer on made data, in a worker. The page's address has all settings. */
export class TrainPanel extends LightElement {
  static properties = {
    scope: { state: true },
    values: { state: true },
    failure: { state: true },
    said: { state: true },
    settings: { state: true },
    tabled: { state: true },
    draw: { state: true },
    width: { state: true },
    chosen: { state: true }
  };

  constructor() {
    super();
    /** @type {import('../../lib/index.js').Attnscope | null} */
    this.scope = null;
    /** @type {readonly import('../../plain/fields.js').Layer[]} */
    this.layers = [];
    /** What was entered. @type {import('../../plain/fields.js').Values} */
    this.values = {};
    /** @type {Checked} */
    this.checked = { plan: null, pauseEvery: 0, memory: 0, errors: {} };
    this.failure = '';
    this.said = '';
    this.settings = true;
    this.tabled = false;
    /** @type {Draw | null} */
    this.draw = null;
    this.width = 0;
    /** The step that is looked back at; null: the last. @type {number | null} */
    this.chosen = null;
    this.player = new Player({
      changed: () => this.requestUpdate(),
      drawn: () => this.updateComplete.then(nextFrame),
      failed: (error) => {
        this.failure = error.message;
        this.said = '';
      },
      ended: (played) => {
        const { run } = this.player;
        if (run)
          this.said = `${played ? 'Paused. ' : ''}${learnedText(/** @type {Point} */ (run.history.last), taskOf(run.plan.task).chance)}`;
      }
    });
    /** Those that were drawn last, and what of. @type {Record<Kind, Curve>} */
    this.curves = { loss: undrawn, accuracy: undrawn };
    /** @type {{ point: Point | null, drawn: Drawn | null }} */
    this.map = { point: null, drawn: null };
    this.resize = new ResizeObserver(() => this.#fit());
  }

  connectedCallback() {
    super.connectedCallback();
    this.resize.observe(this);
    window.addEventListener('popstate', this.#onBack);
    this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resize.disconnect();
    window.removeEventListener('popstate', this.#onBack);
    this.player.reset();
  }

  async #open() {
    const alert = (/** @type {Error} */ { message }) => {
      this.failure = `WebAssembly could not be started: ${message}`;
      this.querySelector('[data-open-failure]')?.replaceChildren(this.failure);
    };
    try {
      const [scope, draw] = await Promise.all([pageScope(), import('./curves.js')]);
      this.draw = draw;
      this.layers = scope.layers();
      this.settings = matchMedia('(min-width: 851px)').matches;
      this.scope = scope;
      this.#load();
    } catch (error) {
      alert(/** @type {Error} */ (error));
    }
  }

  /** From the address. */
  #load() {
    this.values = Object.fromEntries(new URLSearchParams(location.search));
    this.#check();
  }

  #onBack = () => {
    if (!this.scope) return;
    this.player.pause();
    this.#load();
  };

  #check() {
    if (this.scope) this.checked = checkSettings(this.scope, this.layers, this.values);
  }

  /** @param {Record<string, unknown>} patch */
  #set(patch) {
    const old = taskOf(this.values.task);
    this.values = 'task' in patch ? { ...patch, seed: this.values.seed ?? '' } : { ...this.values, ...patch };
    this.#check();
    this.failure = '';
    if (!this.#isOfRun()) this.player.pause();
    const search = searchOf(this.layers, this.values) + location.hash;
    history[taskOf(this.values.task) === old ? 'replaceState' : 'pushState'](null, '', search);
  }

  /** Whether the settings are those of the run. */
  #isOfRun() {
    const { run } = this.player;
    return !run || JSON.stringify(run.plan) === JSON.stringify(this.checked.plan);
  }

  /** Begins anew where the settings are others. @param {'play' | 'step'} what */
  #go(what) {
    const { plan, pauseEvery } = this.checked;
    if (!plan || this.player.playing) return;
    this.failure = '';
    this.chosen = null;
    this.said = what === 'play' ? 'Training' : '';
    if (!this.#isOfRun()) this.player.reset();
    if (what === 'play') this.player.play(plan, pauseEvery);
    else this.player.advance(plan);
  }

  #reset() {
    if (!this.player.run && !this.player.playing) return;
    this.player.reset();
    this.failure = '';
    this.chosen = null;
    this.said = 'Reset';
  }

  /** Until the module is there, what the build has rendered stays. */
  shouldUpdate() {
    return this.scope !== null;
  }

  willUpdate() {
    if (!this.hasUpdated) this.replaceChildren();
  }

  updated() {
    this.#fit();
  }

  #fit() {
    const plot = this.querySelector('.plot');
    if (plot) this.width = Math.floor(plot.getBoundingClientRect().width);
  }

  /** What there is of the run, as the view has it. */
  #shown() {
    const { run } = this.player;
    if (!run) return null;
    const { points, moments } = run.history;
    const moment = moments.findLast(({ step }) => step <= (this.chosen ?? Infinity)) ?? moments[0];
    const task = taskOf(run.plan.task);
    return {
      task,
      example: run.example,
      parameters: run.parameters,
      points,
      moments,
      moment,
      stale: this.checked.plan !== null && !this.#isOfRun()
    };
  }

  /**
   * One of the two is drawn at a time, so that the page never waits for both.
   * @param {import('./view.js').Shown} shown
   */
  #curves({ points, moment, task }) {
    const { draw, width } = this;
    const key = [points, moment.step, width];
    const isOld = (/** @type {Kind} */ kind) => key.some((part, index) => part !== this.curves[kind].key[index]);
    const waits = (/** @type {Kind} */ kind) =>
      this.player.playing && performance.now() - this.curves[kind].time < CURVES_MS;
    const [kind, ...others] = KINDS.filter((one) => isOld(one) && !waits(one));
    if (draw && width && kind) {
      const made = draw.drawCurves(kind, points, { width, chosen: moment.step, chance: task.chance });
      this.curves = { ...this.curves, [kind]: { key, time: performance.now(), made } };
      if (others.length) nextFrame().then(() => this.requestUpdate());
    }
    return { loss: this.curves.loss.made, accuracy: this.curves.accuracy.made };
  }

  /** @param {import('./view.js').Shown} shown */
  #heatMap({ task, example, moment }) {
    if (moment !== this.map.point && moment.seen) {
      const { weights } = moment.seen;
      const words = task.words([...example.tokens.data]);
      const axes = ['head', 'query', 'key'];
      const drawn = { tensor: weights, name: 'weights', axes, weights: true, repeat: 1, mask: '', words };
      this.map = { point: moment, drawn: { ...drawn, thumbnails: thumbnails(weights, THUMBNAIL) } };
    }
    return html`<attnscope-heat-map .drawn=${this.map.drawn} fixed></attnscope-heat-map>`;
  }

  async #saveWeights() {
    const { run, playing } = this.player;
    if (!run || playing) return;
    const metadata = { format: 'pt', layer: run.plan.config.layer, config: JSON.stringify(run.plan.config) };
    const bytes = packSafetensors(await this.player.weights(), metadata);
    download(`${run.plan.task}-${run.history.last?.step}.safetensors`, bytes, 'application/octet-stream');
  }

  #saveRun() {
    const { run } = this.player;
    if (run) download(`${run.plan.task}.csv`, runCsv(run.history.points), 'text/csv');
  }

  render() {
    const { layers, values, checked, failure, said, settings, tabled } = this;
    const { playing, step, rate, gradientNorm } = this.player;
    const shown = this.#shown();
    return trainView(
      {
        ...{ layers, values, checked, playing, step, rate, gradientNorm, failure, said, settings, tabled, shown },
        curves: shown && this.#curves(shown),
        map: shown && this.#heatMap(shown)
      },
      {
        set: (patch) => this.#set(patch),
        play: () => this.#go('play'),
        pause: () => this.player.pause(),
        step: () => this.#go('step'),
        reset: () => this.#reset(),
        look: (index) => {
          const { moments = [] } = this.player.run?.history ?? {};
          this.chosen = index === moments.length - 1 ? null : moments[index].step;
        },
        table: (open) => {
          this.tabled = open;
        },
        saveWeights: () => this.#saveWeights(),
        saveRun: () => this.#saveRun()
      }
    );
  }
}

const HIDDEN_MS = 200;

/** Once the page is drawn; soon, where it is not looked at. @returns {Promise<void>} */
const nextFrame = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => resolve());
    setTimeout(resolve, HIDDEN_MS);
  });

define('attnscope-train', TrainPanel);
