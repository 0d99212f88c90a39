import { initialValues, readSettings } from '../../../plain/labs/settings.js';
import { bandOf, meanLooks } from '../../../plain/attention-or-dense/bands.js';
import { misfit } from '../../../plain/attention-or-dense/entrants.js';
import { pointsCsv } from '../../../plain/attention-or-dense/points.js';
import { scriptOf } from '../../../plain/attention-or-dense/script.js';
import { checkPlan, keyOf, readAddress, searchOf, settingsOf } from '../../../plain/attention-or-dense/settings.js';
import { sourceOf } from '../../../plain/attention-or-dense/source.js';
import { loadData, taskNamed, tasks } from '../../../plain/attention-or-dense/tasks.js';
import { variants as allVariants } from '../../../plain/attention-or-dense/variants.js';
import { verdictOf } from '../../../plain/attention-or-dense/verdict.js';
import { Address } from '../../labs/address.js';
import { copyAndSay, downloadText } from '../../shared/clipboard.js';
import { LightElement, define } from '../../shared/light-element.js';
import { pageScope } from '../../shared/scope.js';
import { nextFrame } from '../../train/frame.js';
import { Contest } from '../contest.js';
import { Asking } from './asking.js';
import { CurveDrawing } from './curve-drawing.js';
import { looksStateOf } from './looks-state.js';
import { tensorStateOf } from './tensor-state.js';
import { contestView } from './view.js';
import '../../heat-map/heat-map.js';

/**
 * @typedef {import('../../../plain/attention-or-dense/settings.js').Checked} Checked
 * @typedef {import('../../../plain/attention-or-dense/settings.js').Plan} Plan
 */

/** @type {Checked} */
const UNCHECKED = { plan: null, errors: {}, variants: [] };

/** Up to six layers on one task, in workers. The page's address has the plan. Its static content stays until then. */
export class ContestPanel extends LightElement {
  static properties = {
    entered: { state: true },
    failure: { state: true },
    said: { state: true },
    shown: { state: true }
  };

  constructor() {
    super();
    /** @type {import('../../../lib/index.js').Attnscope | null} */
    this.scope = null;
    /** What was entered. @type {Record<string, any>} */
    this.entered = {};
    /** The last that were right. @type {Record<string, any>} */
    this.values = {};
    /** @type {Checked} */
    this.checked = UNCHECKED;
    /** @type {string[]} */
    this.leftOut = [];
    this.failure = '';
    this.said = '';
    this.copied = { kind: '', text: '' };
    /** What is looked at. */
    this.shown = {
      curve: /** @type {'score' | 'held_loss' | 'loss'} */ ('score'),
      looks: { one: false, index: 0, seed: /** @type {number | null} */ (null) },
      tensor: { variant: '', tensor: '', gradient: false, index: 0 },
      script: '',
      fork: { moment: /** @type {number | null} */ (null), lr: '', error: '' }
    };
    const update = () => this.requestUpdate();
    this.contest = new Contest({
      changed: update,
      ended: () => {
        this.said = `All runs are done. ${this.#verdicts().join(' ')}`;
      },
      failed: (error) => {
        this.failure = error.message;
      },
      drawn: nextFrame
    });
    this.curves = new CurveDrawing(update);
    this.examples = new Asking(update);
    this.lists = new Asking(update);
    this.tensors = new Asking(update);
    this.resize = new ResizeObserver(() => this.#fit());
  }

  connectedCallback() {
    super.connectedCallback();
    this.resize.observe(this);
    this.address = new Address(window, () => this.#load());
    if (this.scope) this.#load();
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
      this.scope = await pageScope();
      await this.#load();
      if (location.hash === '#run') this.#play();
    } catch (error) {
      const alert = document.createElement('p');
      alert.className = 'field-error';
      alert.setAttribute('role', 'alert');
      alert.textContent = `The lab could not be started: ${/** @type {Error} */ (error).message}`;
      this.prepend(alert);
    }
  }

  /** From the address. What it does not name is as at first. */
  async #load() {
    const { values, errors, strangers } = readAddress(`?${new URLSearchParams(this.address?.read() ?? {})}`);
    this.leftOut = [...Object.values(errors), ...strangers.map((name) => `this task has no setting ${name}`)];
    await loadData(values.task);
    if (this.checked === UNCHECKED) this.replaceChildren();
    this.entered = values;
    this.#check();
  }

  /** @returns {import('../../../plain/attention-or-dense/tasks.js').Task} */
  get task() {
    return taskNamed(this.entered.task) ?? tasks[0];
  }

  #check() {
    const settings = settingsOf(this.task);
    this.values = readSettings(settings, this.entered, { ...initialValues(settings), ...this.values }).values;
    this.checked = checkPlan(/** @type {any} */ (this.scope), this.entered);
    this.failure = '';
  }

  /** @param {Record<string, unknown>} patch @param {string} [gesture] */
  async #set(patch, gesture) {
    const task = patch.task === undefined ? this.task : taskNamed(patch.task);
    if (!task) return;
    if (task !== this.task) {
      await loadData(task.name);
      this.values = {};
      this.entered = readAddress(`?task=${task.name}`).values;
      this.shown = { ...this.shown, looks: { ...this.shown.looks, index: 0, seed: null } };
    } else this.entered = { ...this.entered, ...patch };
    this.leftOut = [];
    this.#check();
    this.#write(gesture);
  }

  /** @param {string} [gesture] */
  #write(gesture) {
    const { plan } = this.checked;
    if (plan) this.address?.write([...new URLSearchParams(searchOf(plan))], gesture);
  }

  /** Whether the settings are others than those of the run. */
  get stale() {
    const { plan } = this.contest;
    return Boolean(plan && this.contest.step > 0 && (!this.checked.plan || keyOf(plan) !== keyOf(this.checked.plan)));
  }

  /** Begins what is set, unless it has begun. @returns {boolean} whether there is something */
  #begun() {
    const { plan, variants } = this.checked;
    if (!plan) return false;
    this.failure = '';
    this.said = '';
    if (!this.contest.plan || keyOf(this.contest.plan) !== keyOf(plan)) {
      this.#forget();
      this.contest.begin(plan, null, variants);
    }
    return true;
  }

  #forget() {
    for (const asking of [this.examples, this.lists, this.tensors]) asking.forget();
  }

  #play() {
    if (this.#begun()) this.contest.play();
  }

  #reset() {
    this.#forget();
    this.contest.reset();
  }

  async #fork() {
    const { moment, lr } = this.#forkState();
    const rate = Number(lr);
    const wrong = !(rate > 0) || !Number.isFinite(rate);
    this.#show('fork', { error: wrong ? `the rate must be a number above 0, got "${lr}"` : '' });
    if (wrong) return;
    const plan = await this.contest.fork(moment, { lr: rate });
    this.entered = { ...this.entered, ...plan.values, lr: plan.lr, changes: plan.changes };
    this.#forget();
    this.#check();
    this.#write();
    this.contest.play();
  }

  /** @param {'looks' | 'tensor' | 'fork'} part @param {Record<string, unknown>} patch */
  #show(part, patch) {
    this.shown = { ...this.shown, [part]: { ...this.shown[part], ...patch } };
  }

  #fit() {
    const plot = this.querySelector('.contest-curves .plot');
    if (plot) this.curves.fit(plot.clientWidth);
  }

  updated() {
    this.#fit();
  }

  #verdicts() {
    const { variants, score, opponents } = this.contest;
    return score ? verdictOf(variants, score, opponents) : [];
  }

  /** Those of the run, or those of the settings while nothing has run. */
  #variants() {
    const { contest, checked } = this;
    if (contest.step > 0 || contest.playing) return contest.variants;
    return checked.variants.map((variant) => ({ ...variant, seeds: /** @type {[]} */ ([]) }));
  }

  #candidates() {
    const { base } = sourceOf(this.task, this.values);
    const chosen = this.entered.variants ?? [];
    return allVariants.map((variant) => ({
      variant,
      chosen: chosen.includes(variant.name),
      reason: misfit(variant, base, this.values.budget !== null)
    }));
  }

  #forkState() {
    const { contest, shown } = this;
    const moments = [...new Set(contest.variants.flatMap(({ seeds }) => seeds.flatMap((run) => run.moments)))]
      .filter((step) => step < (contest.plan?.steps ?? 0) && contest.momentBefore(step) === step)
      .sort((one, other) => one - other);
    const { moment, lr, error } = shown.fork;
    return { moments: contest.playing ? [] : moments, moment: moment ?? moments[0] ?? 0, lr, error };
  }

  #script() {
    const { scope, checked, contest } = this;
    const variant = checked.variants.find(({ name }) => name === this.shown.script) ?? checked.variants[0];
    const { plan } = checked;
    if (!scope || !plan || !variant || contest.playing) return { variant: variant?.name ?? '', script: '' };
    const run = this.stale ? undefined : contest.variants.find(({ name }) => name === variant.name)?.seeds[0];
    const points = run?.points ?? [];
    return {
      variant: variant.name,
      script: scriptOf(/** @type {any} */ (scope), plan, null, { variant: variant.name, seed: plan.first_seed, points })
    };
  }

  /** @param {string} kind @param {string} text */
  #copy(kind, text) {
    copyAndSay(text, (said) => {
      this.copied = { kind, text: said };
      this.requestUpdate();
    });
  }

  shouldUpdate() {
    return this.checked !== UNCHECKED;
  }

  render() {
    const { contest, checked, shown } = this;
    const variants = this.#variants();
    const ran = contest.step > 0;
    const { curve } = shown;
    const plan = ran ? contest.plan : checked.plan;
    const asked = { contest, examples: this.examples, lists: this.lists, tensors: this.tensors };
    return contestView(
      {
        ...{
          task: this.task,
          entered: this.entered,
          values: this.values,
          errors: checked.errors,
          leftOut: this.leftOut
        },
        ...{
          candidates: this.#candidates(),
          runnable: checked.plan !== null,
          playing: contest.playing,
          done: contest.done
        },
        ...{
          stale: this.stale,
          step: contest.step,
          variants,
          score: contest.score,
          plan,
          curve,
          opponents: contest.opponents
        },
        verdicts: ran ? this.#verdicts() : [],
        curves: this.curves.of(
          variants.map(({ title, seeds }) => ({ title, spots: bandOf(seeds, curve) })),
          {
            steps: plan?.steps ?? this.values.steps,
            percent: curve === 'score' && contest.score?.kind !== 'error',
            chance: curve === 'score' ? (contest.score?.chance ?? null) : null,
            changes: plan?.changes ?? []
          },
          contest.playing
        ),
        looks: looksStateOf(asked, variants, shown.looks, meanLooks),
        tensor: tensorStateOf(asked, shown.tensor),
        repeat: { said: this.copied, variants: checked.variants, ran, ...this.#script(), ...this.#forkState() },
        ...{ failure: this.failure, said: this.said }
      },
      this.#actions()
    );
  }

  /** @returns {import('./view.js').Actions} */
  #actions() {
    const { contest } = this;
    return {
      set: (patch, gesture) => this.#set(patch, gesture),
      settle: () => this.address?.settle(),
      play: () => this.#play(),
      pause: () => contest.pause(),
      step: () => {
        if (!contest.playing && this.#begun()) contest.stepOnce();
      },
      reset: () => this.#reset(),
      choose: (name, chosen) => {
        const before = /** @type {string[]} */ (this.entered.variants);
        this.#set({ variants: chosen ? [...before, name] : before.filter((one) => one !== name) });
      },
      swap: (name, other) => {
        const before = /** @type {string[]} */ (this.entered.variants);
        this.#set({ variants: before.map((one) => (one === name ? other : one)) });
      },
      draw: (curve) => {
        this.shown = { ...this.shown, curve };
      },
      looks: {
        choose: (one) => this.#show('looks', { one }),
        turn: (by) => this.#show('looks', { index: Math.max(0, this.shown.looks.index + by) }),
        ask: (seed) => this.#show('looks', { seed })
      },
      tensor: { look: (patch) => this.#show('tensor', patch) },
      repeat: {
        link: () => this.#copy('link', location.href),
        csv: () =>
          contest.step > 0 && downloadText(`${contest.plan?.task}.csv`, pointsCsv(contest.variants), 'text/csv'),
        copy: () => this.#copy('script', this.#script().script),
        download: () => {
          const { variant, script } = this.#script();
          if (script) downloadText(`${this.task.name}-${variant}.py`, script, 'text/x-python');
        },
        choose: (name) => {
          this.shown = { ...this.shown, script: name };
        },
        set: (patch) => this.#show('fork', patch),
        fork: () => this.#fork()
      }
    };
  }
}

define('attnscope-contest', ContestPanel);
