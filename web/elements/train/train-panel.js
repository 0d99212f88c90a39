import { LightElement, define } from '../shared/light-element.js';
import { pageScope } from '../shared/scope.js';
import { proposed } from '../../plain/train/columns.js';
import { checkSettings, taskOf, unchecked } from '../../plain/train/settings.js';
import { learnedText } from '../../plain/train/learned.js';
import { valuesOfAddress, writeAddress } from './address.js';
import { saveExample, saveRun, saveWeights } from './downloads.js';
import { Drawings } from './drawings.js';
import { nextFrame } from './frame.js';
import { Player } from './player.js';
import { shownOf } from './shown.js';
import { TableFiles } from './table-files.js';
import { trainView } from './view.js';

/**
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {import('../../plain/train/settings.js').Checked} Checked
 */

/** Trains a layer on made data or a table of the reader's own, in a worker. The page's address has all settings. */
export class TrainPanel extends LightElement {
  static properties = {
    scope: { state: true },
    values: { state: true },
    failure: { state: true },
    said: { state: true },
    settings: { state: true },
    tabled: { state: true },
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
    this.checked = unchecked;
    this.failure = '';
    this.said = '';
    this.settings = true;
    this.tabled = false;
    /** The step that is looked back at; null: the last. @type {number | null} */
    this.chosen = null;
    /** What the run is trained on. @type {import('../../plain/train/tasks.js').Data | null} */
    this.data = null;
    this.files = this.#tableFiles();
    this.player = this.#player();
    this.drawings = new Drawings(() => this.requestUpdate());
    this.resize = new ResizeObserver(() => this.#fit());
  }

  #tableFiles() {
    return new TableFiles({
      values: () => this.values,
      check: (values, table) => checkSettings(/** @type {any} */ (this.scope), this.layers, values, table),
      set: (values) => this.#set(values),
      changed: () => this.requestUpdate(),
      drawn: () => this.#drawn()
    });
  }

  #player() {
    return new Player({
      changed: () => this.requestUpdate(),
      drawn: () => this.#drawn(),
      failed: (error) => {
        this.failure = error.message;
        this.said = '';
      },
      ended: (played) => {
        const { run } = this.player;
        if (run && this.data)
          this.said = `${played ? 'Paused. ' : ''}${learnedText(/** @type {Point} */ (run.history.last), this.data.chance)}`;
      }
    });
  }

  #drawn() {
    return this.updateComplete.then(nextFrame);
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
    try {
      const [scope, draw] = await Promise.all([pageScope(), import('./curves.js')]);
      this.drawings.draw = draw;
      this.layers = scope.layers();
      this.settings = matchMedia('(min-width: 851px)').matches;
      this.scope = scope;
      this.#load();
    } catch (error) {
      this.failure = `WebAssembly could not be started: ${/** @type {Error} */ (error).message}`;
      this.querySelector('[data-open-failure]')?.replaceChildren(this.failure);
    }
  }

  /** From the address. */
  #load() {
    this.values = valuesOfAddress();
    this.#check();
    if (taskOf(this.values.task).file) this.files.openNamed();
  }

  #onBack = () => {
    if (!this.scope) return;
    this.player.pause();
    this.#load();
  };

  #check() {
    if (this.scope) this.checked = checkSettings(this.scope, this.layers, this.values, this.files.table());
  }

  /** @param {Record<string, unknown>} patch */
  #set(patch) {
    const before = this.values;
    this.values = this.#changed(patch);
    this.#check();
    this.failure = '';
    this.files.forgive();
    if (!this.#isOfRun()) this.player.pause();
    writeAddress(this.layers, this.values, before);
  }

  /** The values after a change, and what follows from it. @param {Record<string, unknown>} patch */
  #changed(patch) {
    const table = this.files.table();
    if ('task' in patch) {
      const file = taskOf(patch.task).file ? this.files.settings() : {};
      const { seed } = this.values;
      return { ...patch, ...file, ...(seed !== undefined && { seed }) };
    }
    const names = 'header' in patch && table ? proposed(table, patch) : {};
    return { ...this.values, ...names, ...patch };
  }

  /** Whether the settings are those of the run. */
  #isOfRun() {
    const { run } = this.player;
    return !run || JSON.stringify(run.job.plan) === JSON.stringify(this.checked.plan);
  }

  /** Begins anew where the settings are others. @param {'play' | 'step'} what */
  #go(what) {
    const { plan, pauseEvery } = this.checked;
    if (!plan || this.player.playing) return;
    this.failure = '';
    this.chosen = null;
    this.said = what === 'play' ? 'Training' : '';
    if (!this.#isOfRun()) this.player.reset();
    if (!this.player.run) this.data = this.checked.data;
    const job = { plan, table: this.files.table() };
    if (what === 'play') this.player.play(job, pauseEvery);
    else this.player.advance(job);
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
    if (!plot) return;
    const width = Math.floor(plot.getBoundingClientRect().width);
    if (width === this.drawings.width) return;
    this.drawings.width = width;
    this.requestUpdate();
  }

  #shown() {
    const { run } = this.player;
    if (!run || !this.data) return null;
    const stale = this.checked.plan !== null && !this.#isOfRun();
    return shownOf(run, this.data, { chosen: this.chosen, stale });
  }

  /** @returns {import('./view.js').Actions} */
  #actions() {
    return {
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
      saveWeights: () => saveWeights(this.player, this.data),
      saveRun: () => saveRun(this.player),
      open: (file) => this.files.open(file),
      openExample: (name) => this.files.openExample(name),
      saveExample: () => saveExample(this.values.file),
      drag: (event) => this.files.drag(event)
    };
  }

  render() {
    const { layers, values, checked, failure, said, settings, tabled, drawings } = this;
    const { playing, step, rate, gradientNorm } = this.player;
    const shown = this.#shown();
    return trainView(
      {
        ...{ layers, values, checked, playing, step, rate, gradientNorm, failure, said, settings, tabled, shown },
        limit: this.scope?.memoryLimit ?? 0,
        file: { ...this.files.state, table: this.files.table() },
        curves: shown && drawings.curves(shown, playing),
        map: shown && drawings.heatMap(shown)
      },
      this.#actions()
    );
  }
}

define('attnscope-train', TrainPanel);
