import { bandOf } from '../../../plain/attention-or-dense/bands.js';
import { keyOf } from '../../../plain/attention-or-dense/settings.js';
import { comparisonOf } from '../../../plain/attention-or-dense/verdict.js';
import { Address } from '../../labs/address.js';
import { LightElement, define } from '../../shared/light-element.js';
import { pageScope } from '../../shared/scope.js';
import { nextFrame } from '../../train/frame.js';
import { Contest } from '../contest.js';
import { Asking } from './asking.js';
import { CurveDrawing } from './curve-drawing.js';
import { Entry } from './entry.js';
import { Keeper } from './keeper.js';
import { looksStateOf } from './looks-state.js';
import { Repeating } from './repeating.js';
import { tensorStateOf } from './tensor-state.js';
import { contestView } from './view.js';
import '../../heat-map/heat-map.js';

/** Of the address: the lab begins to run by itself. */
const RUN = '#run';

/** Up to six layers on one task, in workers. The page's address has the plan. Its static content stays until then. */
export class ContestPanel extends LightElement {
  static properties = {
    entry: { state: true },
    failure: { state: true },
    said: { state: true },
    shown: { state: true }
  };

  constructor() {
    super();
    /** What is set; null before the module is there. @type {Entry | null} */
    this.entry = null;
    this.failure = '';
    this.said = '';
    /** What is looked at. */
    this.shown = {
      curve: /** @type {import('./view.js').State['curve']} */ ('score'),
      looks: /** @type {import('./looks-state.js').Chosen} */ ({ mode: null, index: 0, seed: null, text: '' }),
      tensor: { variant: '', tensor: '', gradient: false, index: 0 }
    };
    const update = () => this.requestUpdate();
    this.contest = this.#contest();
    this.keeper = new Keeper(this.contest, update);
    this.repeating = new Repeating(this.contest, update);
    this.curves = new CurveDrawing(update);
    this.examples = new Asking(update);
    this.lists = new Asking(update);
    this.tensors = new Asking(update);
    this.resize = new ResizeObserver(() => this.#fit());
  }

  #contest() {
    return new Contest({
      changed: () => {
        this.keeper.tick();
        this.requestUpdate();
      },
      ended: () => {
        this.said = ['All runs are done.', ...(this.#comparison()?.sentences ?? [])].join(' ');
        this.keeper.keep();
      },
      failed: (error) => {
        this.failure = error.message;
      },
      drawn: nextFrame
    });
  }

  connectedCallback() {
    super.connectedCallback();
    this.resize.observe(this);
    this.address = new Address(window, () => this.#load());
    if (this.entry) this.#load();
    else this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resize.disconnect();
    this.address?.close();
    this.contest.dispose();
  }

  async #open() {
    try {
      const entry = new Entry(await pageScope(), (gesture) => this.#entered(gesture));
      await entry.load(this.#search());
      this.entry = entry;
      this.takeOver();
      this.keeper.load();
      if (location.hash === RUN) this.#play();
    } catch (error) {
      const alert = document.createElement('p');
      alert.className = 'field-error';
      alert.setAttribute('role', 'alert');
      alert.textContent = `The lab could not be started: ${/** @type {Error} */ (error).message}`;
      this.prepend(alert);
    }
  }

  #search = () => `?${new URLSearchParams(this.address?.read() ?? {})}`;

  /** What back and forward do. */
  async #load() {
    await this.entry?.load(this.#search());
    this.requestUpdate();
  }

  /** The reader has changed what is set. @param {string} [gesture] */
  #entered(gesture) {
    this.failure = '';
    if (this.entry?.search) this.address?.write([...new URLSearchParams(this.entry.search)], gesture);
    this.requestUpdate();
  }

  /** Whether the settings are others than those of the run. */
  get stale() {
    const [ran, set] = [this.contest.plan, this.entry?.checked.plan];
    return Boolean(ran && this.contest.step > 0 && (!set || keyOf(ran) !== keyOf(set)));
  }

  /** Begins what is set, unless it has begun. @returns {boolean} whether there is something */
  #begun() {
    const { plan, variants } = this.entry?.checked ?? {};
    if (!plan || !variants) return false;
    this.failure = '';
    this.said = '';
    if (!this.contest.plan || keyOf(this.contest.plan) !== keyOf(plan)) {
      this.#forget();
      this.contest.begin(plan, this.entry?.table ?? null, variants);
      this.keeper.begin();
    }
    return true;
  }

  #forget() {
    for (const asking of [this.examples, this.lists, this.tensors]) asking.forget();
  }

  #play() {
    if (this.#begun()) this.contest.play();
  }

  /** Runs what an address asks for, in sight. @param {string} search */
  async #answer(search) {
    const entry = /** @type {Entry} */ (this.entry);
    await entry.load(search);
    this.#entered();
    this.#play();
    await this.updateComplete;
    this.querySelector('#contest-variants')?.scrollIntoView();
  }

  #pause() {
    this.contest.pause();
    this.keeper.keep();
  }

  #reset() {
    this.#forget();
    this.contest.reset();
  }

  async #fork() {
    const plan = await this.repeating.fork();
    if (!plan || !this.entry) return;
    this.#forget();
    await this.entry.set({ lr: plan.lr, changes: plan.changes });
    this.contest.play();
  }

  /** Goes on with one that is kept. @param {import('./keeper.js').KeptEntry} kept */
  async #openKept(kept) {
    const content = await this.keeper.content(kept);
    if (!content || !this.entry) return;
    if (content.table) this.entry.files.put(content.table);
    await this.entry.load(kept.search);
    this.#entered();
    this.#forget();
    await this.contest.resume(content);
  }

  /** @param {'looks' | 'tensor'} part @param {Record<string, unknown>} patch */
  #show(part, patch) {
    this.shown = { ...this.shown, [part]: { ...this.shown[part], ...patch } };
  }

  #fit() {
    const plot = this.querySelector('.contest-curves .plot');
    if (plot) this.curves.fit(plot);
  }

  updated() {
    this.#fit();
  }

  #comparison() {
    const { variants, score, opponents } = this.contest;
    return score ? comparisonOf(variants, score, opponents) : null;
  }

  shouldUpdate() {
    return this.entry !== null;
  }

  render() {
    const entry = /** @type {Entry} */ (this.entry);
    const { contest, shown, stale } = this;
    const { checked, task, source, values, table } = entry;
    const ran = contest.step > 0;
    const isOfRun = ran || contest.playing;
    const variants = isOfRun
      ? contest.variants
      : checked.variants.map((variant) => ({ ...variant, seeds: /** @type {[]} */ ([]) }));
    const plan = isOfRun ? contest.plan : checked.plan;
    const asked = { contest, examples: this.examples, lists: this.lists, tensors: this.tensors };
    return contestView(
      {
        ...{ task, values, table, entered: entry.entered, settings: entry.settings, errors: checked.errors },
        ...{
          leftOut: entry.leftOut,
          report: source?.report ?? null,
          unknown: entry.unknown,
          candidates: entry.candidates()
        },
        ...{ runnable: checked.plan !== null, playing: contest.playing, done: contest.done, stale, step: contest.step },
        ...{ variants, score: contest.score, plan, opponents: contest.opponents, curve: shown.curve },
        comparison: ran ? this.#comparison() : null,
        curves: this.#curves(variants, plan),
        looks: looksStateOf(asked, variants, shown.looks, { source, task }),
        tensor: tensorStateOf(asked, shown.tensor),
        repeat: this.repeating.stateOf(entry, stale),
        file: { ...entry.files.state, table },
        kept: {
          ...{ entries: this.keeper.entries, problem: this.keeper.problem },
          current: ran && contest.plan ? keyOf(contest.plan) : ''
        },
        ...{ failure: this.failure, said: this.said }
      },
      this.#actions(entry)
    );
  }

  /**
   * @param {readonly { title: string, seeds: readonly any[] }[]} variants
   * @param {import('./view.js').Plan | null} plan
   */
  #curves(variants, plan) {
    const { score, playing } = this.contest;
    const { curve } = this.shown;
    const isScore = curve === 'score';
    return this.curves.of(
      variants.map(({ title, seeds }) => ({ title, spots: bandOf(seeds, curve) })),
      {
        steps: plan?.steps ?? this.entry?.values.steps,
        percent: isScore && score?.kind !== 'error',
        chance: isScore ? (score?.chance ?? null) : null,
        changes: plan?.changes ?? []
      },
      playing
    );
  }

  /** @param {Entry} entry @returns {import('./view.js').Actions} */
  #actions(entry) {
    const { contest, keeper } = this;
    return {
      set: (patch, gesture) => entry.set(patch, gesture),
      settle: () => this.address?.settle(),
      play: () => this.#play(),
      answer: (search) => this.#answer(search),
      pause: () => this.#pause(),
      step: () => {
        if (!contest.playing && this.#begun()) contest.stepOnce();
      },
      reset: () => this.#reset(),
      choose: (name, chosen) => entry.choose(name, chosen),
      swap: (name, other) => entry.swap(name, other),
      draw: (curve) => {
        this.shown = { ...this.shown, curve };
      },
      looks: {
        choose: (mode) => this.#show('looks', { mode }),
        turn: (by) => this.#show('looks', { index: Math.max(0, this.shown.looks.index + by) }),
        ask: (seed) => this.#show('looks', { seed }),
        type: (text) => this.#show('looks', { text })
      },
      tensor: { look: (patch) => this.#show('tensor', patch) },
      repeat: this.repeating.actions(() => this.#fork()),
      file: entry.files,
      kept: {
        open: (kept) => this.#openKept(kept),
        forget: (kept) => keeper.forget(kept),
        rename: (kept, name) => keeper.rename(kept, name)
      }
    };
  }
}

define('attnscope-contest', ContestPanel);
