import { bandOf } from '../../../plain/attention-or-dense/bands.js';
import { isOpenable } from '../../../plain/attention-or-dense/kept.js';
import { keyOf, searchOf } from '../../../plain/attention-or-dense/settings.js';
import { comparisonOf } from '../../../plain/attention-or-dense/verdict.js';
import { Address } from '../../labs/address.js';
import { LightElement, define } from '../../shared/light-element.js';
import { sayFailure } from '../../shared/failure.js';
import { pageScope } from '../../shared/scope.js';
import { nextFrame } from '../../train/frame.js';
import { Contest } from '../contest.js';
import { Asking } from './asking.js';
import { CurveDrawing } from './curve-drawing.js';
import { Entry } from './entry.js';
import { Keeper } from './keeper.js';
import { looksStateOf } from './looks-state.js';
import { Repeating } from './repeating.js';
import { setRunsOf } from './set-runs.js';
import { tensorStateOf } from './tensor-state.js';
import { contestView } from './view.js';
import '../../heat-map/heat-map.js';

/** Of the address: the lab begins to run by itself. */
const RUN = '#run';

/** Up to six layers on one task, in workers. The page's address has the plan. Its static content stays until then. */
export class ContestPanel extends LightElement {
  /** What has been pressed. @type {Promise<unknown>} */
  #turn = Promise.resolve();

  static properties = {
    entry: { state: true },
    failure: { state: true },
    said: { state: true },
    resumed: { state: true },
    shown: { state: true }
  };

  constructor() {
    super();
    /** What is set; null before the module is there. @type {Entry | null} */
    this.entry = null;
    this.failure = '';
    this.said = '';
    /** Whether the runs are those that were kept, as they were. */
    this.resumed = false;
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
        this.said = ['All runs are done.', ...(this.#comparison(this.contest.variants)?.sentences ?? [])].join(' ');
        this.keeper.keep();
      },
      failed: (error) => {
        this.failure = error.message;
        this.#forget();
        this.contest.dispose(); // Play goes on from what is kept
      },
      drawn: nextFrame
    });
  }

  connectedCallback() {
    super.connectedCallback();
    this.resize.observe(this);
    document.addEventListener('visibilitychange', this.leaving);
    this.address = new Address(window, () => this.#load());
    if (this.entry) this.#load();
    else this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resize.disconnect();
    document.removeEventListener('visibilitychange', this.leaving);
    this.address?.close();
    this.contest.dispose();
  }

  /** What is on the way is kept when the page is left. */
  leaving = () => {
    if (document.visibilityState === 'hidden') this.keeper.keep();
  };

  async #open() {
    try {
      const entry = new Entry(await pageScope(), (gesture) => this.#entered(gesture));
      await entry.load(this.#search(), this.address?.repeated);
      this.entry = entry;
      const opened = this.#next(() => this.#openNamed(entry)); // before what was pressed on the static page
      this.takeOver();
      await opened;
      if (location.hash === RUN) await this.#play();
    } catch (error) {
      sayFailure(this, `The lab could not be started: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** Goes on with the runs that the address names, where they are kept. @param {Entry} entry */
  async #openNamed(entry) {
    await this.keeper.load();
    const kept = this.keeper.entryOf(this.#search(), entry.checked.plan);
    if (kept && isOpenable(kept) && !this.contest.plan) await this.#openKept(kept);
  }

  #search = () => `?${new URLSearchParams(this.address?.read() ?? {})}`;

  /** What back and forward do. */
  async #load() {
    await this.entry?.load(this.#search(), this.address?.repeated);
    this.requestUpdate();
  }

  /** The reader has changed what is set. @param {string} [gesture] */
  #entered(gesture) {
    this.failure = '';
    if (this.entry?.search) this.address?.write([...new URLSearchParams(this.entry.search)], gesture);
    this.requestUpdate();
  }

  /** Begins what is set, unless it has begun; runs that are the same stay. @returns whether there is something */
  async #begun() {
    const { plan, variants } = this.entry?.checked ?? {};
    if (!plan || !variants) return false;
    this.failure = '';
    this.said = '';
    const { contest, keeper } = this;
    this.resumed &&= contest.done;
    if (contest.plan && keyOf(contest.plan) === keyOf(plan)) return true;
    this.resumed = false;
    const table = this.entry?.table ?? null;
    await keeper.keep();
    const kept = await keeper.runsOf(plan);
    this.#forget();
    await contest.change({ plan, table, variants }, kept);
    keeper.begin();
    return true;
  }

  /** Does what is pressed, one press after another: to begin takes a moment. @param {() => unknown} work */
  #next(work) {
    this.#turn = this.#turn.then(work).catch((error) => {
      if (error.name !== 'AbortError') this.failure = error.message;
    });
    return this.#turn;
  }

  /** @param {() => void} then */
  #start(then) {
    return this.#next(async () => {
      if (await this.#begun()) then();
    });
  }

  #forget() {
    for (const asking of [this.examples, this.lists, this.tensors]) asking.forget();
  }

  #play() {
    return this.#start(() => this.contest.play());
  }

  /** Runs what an address asks for, in sight. @param {string} search */
  async #answer(search) {
    const entry = /** @type {Entry} */ (this.entry);
    await entry.load(search);
    this.#entered();
    await this.#play();
    await this.updateComplete;
    this.querySelector('#contest-variants')?.scrollIntoView();
  }

  #pause() {
    return this.#next(() => {
      this.contest.pause();
      this.keeper.keep();
    });
  }

  /** At once: it ends what waits for a worker, too. */
  #reset() {
    this.resumed = false;
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
    await this.entry.load(searchOf(content.plan));
    this.#entered();
    this.#forget();
    await this.contest.resume(content);
    this.keeper.opened(content);
    this.resumed = true;
  }

  /** @param {'looks' | 'tensor'} part @param {Record<string, unknown>} patch */
  #show(part, patch) {
    this.shown = { ...this.shown, [part]: { ...this.shown[part], ...patch } };
  }

  #fit() {
    const place = this.querySelector('.contest-curves');
    if (place) this.curves.fit(place);
  }

  updated() {
    this.#fit();
  }

  /** @param {readonly import('../contest.js').Contender[]} variants */
  #comparison(variants) {
    const { score, opponents } = this.contest;
    return score ? comparisonOf(variants, score, opponents) : null;
  }

  shouldUpdate() {
    return this.entry !== null;
  }

  render() {
    const entry = /** @type {Entry} */ (this.entry);
    const { contest, shown } = this;
    const { checked, task, source, values, table } = entry;
    const { ran, stale, isOther, variants, plan, fresh, done } = setRunsOf(contest, {
      plan: checked.plan,
      variants: entry.entrants
    });
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
        ...{ runnable: checked.plan !== null, playing: contest.playing, step: contest.step },
        ...{ refused: checked.plan === null && (ran || entry.valid !== null), ran },
        ...{ done, stale, fresh, resumed: this.resumed },
        ...{ variants, score: contest.score, plan, opponents: contest.opponents, curve: shown.curve },
        comparison: ran ? this.#comparison(variants) : null,
        curves: this.#curves(variants, plan),
        looks: looksStateOf(asked, variants, shown.looks, { source, task }),
        tensor: tensorStateOf(asked, shown.tensor),
        repeat: this.repeating.stateOf(entry, isOther),
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
        if (!contest.playing) this.#start(() => contest.stepOnce());
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
      repeat: this.repeating.actions(() => this.#next(() => this.#fork())),
      file: entry.files,
      kept: {
        open: (kept) => this.#next(() => this.#openKept(kept)),
        forget: (kept) => keeper.forget(kept),
        rename: (kept, name) => keeper.rename(kept, name)
      }
    };
  }
}

define('attnscope-contest', ContestPanel);
