import { html } from 'lit';
import { LightElement, define } from '../shared/light-element.js';
import { download } from '../shared/clipboard.js';
import { pageScope } from '../shared/scope.js';
import { thumbnails } from '../heat-map/raster.js';
import { proposed } from '../../plain/train/columns.js';
import { exampleTables } from '../../plain/train/example-tables.js';
import { runCsv } from '../../plain/train/history.js';
import { packSafetensors } from '../../plain/train/safetensors.js';
import { checkSettings, searchOf, taskOf } from '../../plain/train/settings.js';
import { learnedText } from '../../plain/train/learned.js';
import { checkSize, readTable } from '../../plain/train/table.js';
import { Player } from './player.js';
import { trainView } from './view.js';
import '../heat-map/heat-map.js';

/**
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {import('../../plain/train/settings.js').Checked} Checked
 * @typedef {import('../../plain/train/table.js').Table} Table
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

/** The layer that one came from, which the page's address keeps for the way back. */
function fromText() {
  const from = new URLSearchParams(location.search).get('from');
  return from ? `&${new URLSearchParams({ from })}` : '';
}

/** Trains a layer on made data or a table of the reader's own, in a worker. The page's address has all settings. */
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
    chosen: { state: true },
    file: { state: true }
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
    this.checked = { plan: null, data: null, pauseEvery: 0, memory: 0, errors: {} };
    this.failure = '';
    this.said = '';
    this.settings = true;
    this.tabled = false;
    /** @type {Draw | null} */
    this.draw = null;
    this.width = 0;
    /** The step that is looked back at; null: the last. @type {number | null} */
    this.chosen = null;
    /** What the run is trained on. @type {import('../../plain/train/tasks.js').Data | null} */
    this.data = null;
    /** Files that were opened: back leads to the one before. @type {Map<string, Table>} */
    this.tables = new Map();
    /** The last of them. @type {Table | null} */
    this.lastTable = null;
    /** @type {Omit<import('./file-view.js').FileState, 'table'>} */
    this.file = { reading: '', error: '', note: '', over: false };
    this.player = new Player({
      changed: () => this.requestUpdate(),
      drawn: () => this.updateComplete.then(nextFrame),
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
    const { file } = this.values;
    if (taskOf(this.values.task).file && !this.#table() && exampleTables.some(({ name }) => name === file))
      this.#openExample(String(file));
  }

  /** The file that the settings are of, if it was opened. */
  #table(values = this.values) {
    return this.tables.get(`${values.file} ${values.checksum}`) ?? null;
  }

  #onBack = () => {
    if (!this.scope) return;
    this.player.pause();
    this.#load();
  };

  #check() {
    if (this.scope) this.checked = checkSettings(this.scope, this.layers, this.values, this.#table());
  }

  /** @param {Record<string, unknown>} patch */
  #set(patch) {
    const { task, file } = this.values;
    this.values = this.#changed(patch);
    this.#check();
    this.failure = '';
    this.file = { ...this.file, error: '' };
    if (!this.#isOfRun()) this.player.pause();
    const search = searchOf(this.layers, this.values) + fromText() + location.hash;
    history[taskOf(this.values.task) === taskOf(task) && this.values.file === file ? 'replaceState' : 'pushState'](
      null,
      '',
      search
    );
  }

  /** The values after a change, and what follows from it. @param {Record<string, unknown>} patch */
  #changed(patch) {
    const table = this.#table();
    if ('task' in patch) {
      const file = taskOf(patch.task).file && this.lastTable ? ofTable(this.lastTable) : {};
      return { ...patch, ...file, seed: this.values.seed ?? '' };
    }
    const names = 'header' in patch && table ? proposed(table, patch) : {};
    return { ...this.values, ...names, ...patch };
  }

  /** @param {File} file */
  #openFile(file) {
    return this.#read(file.name, async () => {
      checkSize(file.name, file.size);
      return new Uint8Array(await file.arrayBuffer());
    });
  }

  /** @param {string} name */
  #openExample(name) {
    const example = exampleTables.find((one) => one.name === name);
    return this.#read(name, async () => new TextEncoder().encode(example?.text()));
  }

  /**
   * Takes a file if something can be trained on it, and else says why, and changes nothing.
   * @param {string} name @param {() => Promise<Uint8Array>} load
   */
  async #read(name, load) {
    const file = { reading: name, error: '', note: '', over: false };
    this.file = file;
    try {
      const bytes = await load();
      await this.updateComplete.then(nextFrame); // that it is being read is said first
      const table = await readTable(name, bytes);
      if (this.file !== file) return; // another one was opened meanwhile
      this.#take(table);
    } catch (error) {
      if (this.file !== file) return;
      const { message } = /** @type {Error} */ (error);
      this.file = {
        ...file,
        reading: '',
        error: error instanceof RangeError ? message : `${name} cannot be read: ${message}`
      };
    }
  }

  /** @param {Table} table */
  #take(table) {
    const { file, checksum } = this.values;
    const isWanted = !this.#table() && Boolean(file) && (table.name === file || table.checksum === checksum);
    const values = ofTable(table, isWanted ? this.values : {});
    const { data, errors } = checkSettings(
      /** @type {any} */ (this.scope),
      this.layers,
      { task: this.values.task, ...values },
      table
    );
    if (!data) throw new RangeError(Object.values(errors)[0]);
    this.tables.set(`${table.name} ${table.checksum}`, table);
    this.lastTable = table;
    const isOther = isWanted && Boolean(checksum) && table.checksum !== checksum;
    this.file = {
      ...this.file,
      reading: '',
      note: isOther ? `This is not the ${file} of the link: what is in it differs.` : ''
    };
    this.#set(values);
  }

  /** @param {DragEvent} event */
  #drag(event) {
    event.preventDefault();
    const box = /** @type {Element} */ (event.currentTarget);
    const isOver =
      event.type !== 'drop' &&
      (event.type !== 'dragleave' || box.contains(/** @type {Node | null} */ (event.relatedTarget)));
    if (isOver !== this.file.over && !this.file.reading) this.file = { ...this.file, over: isOver };
    const [file] = (event.type === 'drop' && event.dataTransfer?.files) || [];
    if (file) this.#openFile(file);
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
    const job = { plan, table: this.#table() };
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
    if (plot) this.width = Math.floor(plot.getBoundingClientRect().width);
  }

  /** What there is of the run, as the view has it. */
  #shown() {
    const { run } = this.player;
    if (!run || !this.data) return null;
    const { points, moments } = run.history;
    const moment = moments.findLast(({ step }) => step <= (this.chosen ?? Infinity)) ?? moments[0];
    return {
      task: taskOf(run.job.plan.task),
      data: this.data,
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
  #curves({ points, moment, data }) {
    const { draw, width } = this;
    const key = [points, moment.step, width];
    const isOld = (/** @type {Kind} */ kind) => key.some((part, index) => part !== this.curves[kind].key[index]);
    const waits = (/** @type {Kind} */ kind) =>
      this.player.playing && performance.now() - this.curves[kind].time < CURVES_MS;
    const [kind, ...others] = KINDS.filter((one) => isOld(one) && !waits(one));
    if (draw && width && kind) {
      const made = draw.drawCurves(kind, points, { width, chosen: moment.step, chance: data.chance });
      this.curves = { ...this.curves, [kind]: { key, time: performance.now(), made } };
      if (others.length) nextFrame().then(() => this.requestUpdate());
    }
    return { loss: this.curves.loss.made, accuracy: this.curves.accuracy.made };
  }

  /** @param {import('./view.js').Shown} shown */
  #heatMap({ data, example, moment }) {
    if (moment !== this.map.point && moment.seen) {
      const { weights } = moment.seen;
      const words = data.words([...example.tokens.data]);
      const axes = ['head', 'query', 'key'];
      const drawn = { tensor: weights, name: 'weights', axes, weights: true, repeat: 1, mask: '', words };
      this.map = { point: moment, drawn: { ...drawn, thumbnails: thumbnails(weights, THUMBNAIL) } };
    }
    return html`<attnscope-heat-map .drawn=${this.map.drawn} fixed></attnscope-heat-map>`;
  }

  async #saveWeights() {
    const { run, playing } = this.player;
    if (!run || playing) return;
    const { task, config } = run.job.plan;
    /** @type {Record<string, string>} */
    const metadata = { format: 'pt', layer: config.layer, config: JSON.stringify(config) };
    if (this.data?.facts) metadata.data = JSON.stringify(this.data.facts);
    const bytes = packSafetensors(await this.player.weights(), metadata);
    download(`${task}-${run.history.last?.step}.safetensors`, bytes, 'application/octet-stream');
  }

  #saveExample() {
    const example = exampleTables.find(({ name }) => name === this.values.file);
    if (example) download(example.name, example.text(), 'text/csv');
  }

  #saveRun() {
    const { run } = this.player;
    if (run) download(`${run.job.plan.task}.csv`, runCsv(run.history.points), 'text/csv');
  }

  render() {
    const { layers, values, checked, failure, said, settings, tabled } = this;
    const { playing, step, rate, gradientNorm } = this.player;
    const shown = this.#shown();
    return trainView(
      {
        ...{ layers, values, checked, playing, step, rate, gradientNorm, failure, said, settings, tabled, shown },
        file: { ...this.file, table: this.#table() },
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
        saveRun: () => this.#saveRun(),
        open: (file) => this.#openFile(file),
        openExample: (name) => this.#openExample(name),
        saveExample: () => this.#saveExample(),
        drag: (event) => this.#drag(event)
      }
    );
  }
}

/**
 * The settings that a table brings along.
 * @param {Table} table @param {import('../../plain/fields.js').Values} [given]
 */
const ofTable = (table, given) => ({ ...given, file: table.name, checksum: table.checksum, ...proposed(table, given) });

const HIDDEN_MS = 200;

/** Once the page is drawn; soon, where it is not looked at. @returns {Promise<void>} */
const nextFrame = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => resolve());
    setTimeout(resolve, HIDDEN_MS);
  });

define('attnscope-train', TrainPanel);
