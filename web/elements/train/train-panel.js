import { html } from 'lit';
import { LightElement, define } from '../shared/light-element.js';
import { sayFailure } from '../shared/failure.js';
import { pageScope } from '../shared/scope.js';
import { following } from '../../plain/tables/proposal.js';
import { keyOf } from '../../plain/train/kept.js';
import { checkSettings, searchOf, strangersIn, taskOf, unchecked } from '../../plain/train/settings.js';
import { learnedText } from '../../plain/train/learned.js';
import './ask-panel.js';
import './repeat-panel.js';
import { previewOf } from '../../plain/train/preview.js';
import { goTo, repeatedOfAddress, valuesOfAddress, writeAddress } from './address.js';
import { saveExample, saveRun, saveWeights } from './downloads.js';
import { axesOf } from './axes.js';
import { Drawings } from './drawings.js';
import { Explaining } from './explaining.js';
import { nextFrame } from './frame.js';
import { keptTable } from './kept-store.js';
import { Keeper } from './keeper.js';
import { Player } from './player.js';
import { NONE, shownBefore, shownOf } from './shown.js';
import { TableFiles } from '../table-file/table-files.js';
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
    /** Of the layer before a run. @type {import('../../plain/train/preview.js').Preview | null} */
    this.preview = null;
    this.failure = '';
    /** What the address says more than once, until the next change. @type {string[]} */
    this.repeated = [];
    /** Names in the address that its task has no setting for. @type {readonly string[]} */
    this.linked = [];
    this.said = '';
    this.settings = true;
    this.tabled = false;
    /** The step that is looked back at; null: the last. @type {number | null} */
    this.chosen = null;
    /** What the run is trained on. @type {import('../../plain/train/tasks.js').Data | null} */
    this.data = null;
    this.files = this.#tableFiles();
    this.player = this.#player();
    this.explaining = new Explaining(this.player);
    /** Of the run under way. */
    this.facts = { search: '', file: '' };
    this.keeper = new Keeper(this.player, { changed: () => this.requestUpdate(), facts: () => this.facts });
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
        this.keeper.keep();
      },
      ticked: () => this.keeper.tick(),
      ended: (played) => {
        this.keeper.keep();
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
    document.addEventListener('visibilitychange', this.#onHidden);
    window.addEventListener('pagehide', this.#onLeave);
    this.keeper.load();
    this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resize.disconnect();
    window.removeEventListener('popstate', this.#onBack);
    document.removeEventListener('visibilitychange', this.#onHidden);
    window.removeEventListener('pagehide', this.#onLeave);
    this.player.reset();
  }

  async #open() {
    try {
      const scope = await pageScope();
      this.layers = scope.layers();
      this.settings = matchMedia('(min-width: 851px)').matches;
      this.scope = scope;
      this.#load();
    } catch (error) {
      sayFailure(this, `WebAssembly could not be started: ${/** @type {Error} */ (error).message}`);
      return;
    }
    await this.updateComplete;
    await this.drawings.load().catch((error) => {
      this.failure = `The curves could not be loaded: ${error.message}`;
    });
  }

  /** From the address. */
  #load() {
    this.values = valuesOfAddress();
    this.repeated = repeatedOfAddress();
    this.linked = strangersIn(this.layers, this.values);
    this.#check();
    if (taskOf(this.values.task).file) this.files.openNamed();
  }

  #onBack = () => {
    if (!this.scope) return;
    this.player.pause();
    this.#load();
  };

  /** A page that is not looked at may be ended; another tab may have kept runs meanwhile. */
  #onHidden = () => {
    if (!document.hidden) this.keeper.load();
    else this.#onLeave();
  };

  #onLeave = () => {
    if (this.player.playing) this.keeper.keep();
  };

  #check() {
    if (!this.scope) return;
    this.checked = checkSettings(this.scope, this.layers, this.values, this.files.table());
    this.preview = previewOf(this.scope, this.checked);
  }

  /** @param {Record<string, unknown>} patch */
  #set(patch) {
    const before = this.values;
    this.values = this.#changed(patch);
    this.repeated = [];
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
      return { ...file, ...patch, ...(seed !== undefined && { seed }) };
    }
    const others = table ? following(table, this.values, patch) : {};
    return { ...this.values, ...others, ...patch };
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
    if (!this.player.run) this.#begin(plan);
    const job = { plan, table: this.files.table() };
    if (what === 'play') this.player.play(job, pauseEvery);
    else this.player.advance(job);
  }

  /** @param {import('../../plain/train/settings.js').Plan} plan */
  #begin(plan) {
    this.data = this.checked.data;
    this.facts = { search: this.#search(), file: String(this.values.file ?? '') };
    this.keeper.begin(plan);
  }

  #search() {
    return searchOf(this.layers, this.values);
  }

  /** What is kept of the settings as they are; of a file that is not open, by the address. */
  #keptHere() {
    const { plan, errors } = this.checked;
    if (!errors.file) return this.keeper.keptOf(plan);
    const search = this.#search();
    return this.keeper.runs.find((one) => one.search === search) ?? null;
  }

  /**
   * Goes on with a kept run, whose settings the page has then.
   * @param {import('../../plain/train/kept.js').Kept} kept
   */
  async #goOn(kept) {
    this.player.reset();
    this.failure = '';
    this.chosen = null;
    try {
      const table = await keptTable(kept);
      if (table) this.files.put(table);
      if (this.#search() !== kept.search) goTo(kept.search);
      this.#load();
      const { plan } = this.checked;
      if (!plan || keyOf(plan) !== kept.key)
        throw new RangeError(
          'This run cannot go on: another version of this page has kept it, which read these settings otherwise.'
        );
      this.#begin(plan);
      await this.player.resume({ plan, table: this.files.table() }, kept.key);
      this.said = `Continued at step ${this.player.step}`;
      if (this.player.step % this.checked.pauseEvery) this.#go('play'); // it was ended in the middle
    } catch (error) {
      this.failure = /** @type {Error} */ (error).message;
    }
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
    if (!this.hasUpdated) this.takeOver();
  }

  /** @param {Map<string, unknown>} changed */
  update(changed) {
    this.handFocus(':is([data-kept], [data-kept-here]) button', '[data-action="play"]', () => super.update(changed));
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
    if (!run || !this.data) return shownBefore(this.checked, this.preview);
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
      tryWith: (patch) => {
        this.#set(patch);
        this.#go('play');
      },
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
      drag: (event) => this.files.drag(event),
      kept: { goOn: (run) => this.#goOn(run), forget: (run) => this.keeper.forget(run) }
    };
  }

  /** The run, or what Play would begin. @returns {import('./repeat-panel.js').Repeated} */
  #repeated() {
    const { checked, facts, values } = this;
    const { run, step } = this.player;
    if (run && this.data) {
      const search = this.#isOfRun() ? this.#search() : facts.search;
      const { plan } = run.job;
      return { search, file: facts.file, problem: '', plan, data: this.data, points: run.history.points, steps: step };
    }
    const { plan, data, errors, pauseEvery } = checked;
    const problem = errors.file ? 'it needs the file' : 'the settings are not right yet';
    const file = taskOf(values.task).file ? String(values.file ?? '') : '';
    return { search: this.#search(), file, problem, plan, data, points: NONE, steps: pauseEvery };
  }

  /** @returns {import('./kept-view.js').KeptState} */
  #kept() {
    const { keeper, player } = this;
    const current = keeper.keptOf(player.run?.job.plan);
    const { runs, wanted, problem } = keeper;
    return { runs, here: this.#keptHere(), current, running: Boolean(player.run), wanted, problem };
  }

  render() {
    const { layers, values, checked, failure, said, settings, tabled, drawings, explaining } = this;
    const { playing, step, rate, gradientNorm } = this.player;
    const shown = this.#shown();
    return trainView(
      {
        ...{ layers, values, checked, playing, step, rate, gradientNorm, failure, said, settings, tabled, shown },
        isLive: true,
        repeated: this.repeated,
        linked: this.linked,
        limit: this.scope?.memoryLimit ?? 0,
        kept: this.#kept(),
        file: { ...this.files.state, table: this.files.table() },
        curves: drawings.curves(shown, axesOf(checked, shown?.data ?? checked.data, this.player), playing),
        map: shown && drawings.heatMap(shown, shown.explain ?? explaining.of(shown)),
        ask: html`<attnscope-train-ask .player=${this.player} .shown=${shown?.points.length ? shown : null} .step=${step} .playing=${playing}></attnscope-train-ask>`,
        repeat: html`<attnscope-train-repeat .scope=${this.scope} .repeated=${this.#repeated()} .playing=${playing}></attnscope-train-repeat>`
      },
      this.#actions()
    );
  }
}

define('attnscope-train', TrainPanel);
