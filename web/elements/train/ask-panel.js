// What the layer has learned, tried out: it is given a text of the reader's own, or held-out examples one by one.

import { LightElement, define } from '../shared/light-element.js';
import '../heat-map/heat-map.js';
import { askView } from './ask-view.js';
import { drawnHeads } from './heads.js';

/**
 * @typedef {import('../../plain/train/ask.js').Answer} Answer
 * @typedef {import('../../plain/train/ask.js').Continued} Continued
 * @typedef {import('../../plain/train/ask.js').HeldOut} HeldOut
 * @typedef {import('../../plain/train/reading.js').Read} Read
 * @typedef {import('./player.js').Player} Player
 * @typedef {import('../explain/explanation.js').Explain} Explain
 * @typedef {'own' | 'held'} Mode
 * @typedef {{ read: Read, answer: Answer & Partial<Continued> }} Own what was given, and what the layer says
 * @typedef {{ step: number, examples: HeldOut[] }} Held
 */

export class AskPanel extends LightElement {
  static properties = {
    player: {},
    shown: {},
    step: { type: Number },
    playing: { type: Boolean },
    text: { state: true },
    mode: { state: true },
    error: { state: true },
    own: { state: true },
    held: { state: true },
    at: { state: true },
    seen: { state: true }
  };

  constructor() {
    super();
    /** @type {Player | null} */
    this.player = null;
    /** @type {import('./shown.js').Shown | null} */
    this.shown = null;
    this.step = 0;
    this.playing = false;
    /** What was typed. */
    this.text = '';
    /** @type {Mode} */
    this.mode = 'own';
    /** What is wrong with it. */
    this.error = '';
    /** @type {Own | null} */
    this.own = null;
    /** @type {Held | null} */
    this.held = null;
    /** Which of the held-out examples is looked at, in their order. */
    this.at = 0;
    /** Where the heads look in it. @type {Answer | null} */
    this.seen = null;
    /** What the answers are of. */
    this.asked = { run: /** @type {unknown} */ (null), data: /** @type {unknown} */ (null), step: -1 };
    /** @type {{ answer: Answer | null, drawn: unknown, explain: Explain | null }} */
    this.map = { answer: null, drawn: null, explain: null };
    this.asking = Promise.resolve();
  }

  willUpdate() {
    const { player, shown } = this;
    const run = player?.run ?? null;
    if (!run || !shown) {
      if (this.asked.run) this.#forget();
      return;
    }
    if (shown.data !== this.asked.data) this.#begin(shown);
    if (run === this.asked.run && (this.playing || this.step === this.asked.step)) return;
    if (run !== this.asked.run) this.#clear();
    this.asked = { run, data: shown.data, step: this.step };
    if (!this.playing && (this.mode === 'own' ? this.own : this.held)) this.#askAnew();
  }

  /** Something to begin with, where what was typed is of other data. @param {import('./shown.js').Shown} shown */
  #begin({ data }) {
    const before = /** @type {import('../../plain/train/tasks.js').Data | null} */ (this.asked.data);
    if (before?.asks.label !== data.asks.label) this.text = data.asks.sample;
    this.asked = { ...this.asked, data };
  }

  #forget() {
    this.asked = { ...this.asked, run: null, step: -1 };
    this.#clear();
  }

  #clear() {
    Object.assign(this, { own: null, held: null, seen: null, at: 0, error: '' });
  }

  /** What is shown, of the layer as it is now: once something was asked, after each turn. */
  #askAnew() {
    if (this.mode === 'own') this.#answer();
    else this.#look();
  }

  /** One question after another, and none of a run that has ended. @param {(player: Player) => Promise<void>} ask */
  #ask(ask) {
    const player = /** @type {Player} */ (this.player);
    const { run } = player;
    if (!run) return;
    this.asking = this.asking
      .then(() => (player.run === run ? ask(player) : undefined))
      .catch((error) => {
        if (player.run === run) this.error = /** @type {Error} */ (error).message;
      });
  }

  /** Reads what was typed, and asks. The last answer stays where it cannot be read. */
  #answer() {
    const { shown } = this;
    if (!shown) return;
    /** @type {Read} */
    let read;
    try {
      read = shown.data.asks.read(this.text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.error = error.message;
      return;
    }
    this.error = '';
    const task = shown.task.layer === 'decoder' ? 'goOn' : 'ask';
    this.#ask(async (player) => {
      const answer = await player.ask(task, read.tokens);
      this.own = { read, answer };
    });
  }

  /** The held-out examples, and where the heads look in one of them. */
  #look() {
    this.error = '';
    this.#ask(async (player) => {
      const held = /** @type {Held} */ (await player.ask('heldOut'));
      const index = this.held?.examples[this.at]?.index;
      const at = this.at === 0 ? 0 : held.examples.findIndex((one) => one.index === index);
      this.seen = await player.ask('ask', held.examples[at].tokens);
      Object.assign(this, { held, at });
    });
  }

  /** @param {number} at */
  #step(at) {
    const example = this.held?.examples[at];
    if (!example) return;
    this.#ask(async (player) => {
      this.seen = await player.ask('ask', example.tokens);
      this.at = at;
    });
  }

  /** @param {Mode} mode */
  #choose(mode) {
    this.mode = mode;
    const step = mode === 'own' ? this.own?.answer.step : this.held?.step;
    const isFirst = step === undefined && mode === 'held';
    if (isFirst || (step !== undefined && step !== this.step)) this.#askAnew();
  }

  /** @param {Answer | null} answer @param {string[]} words */
  #map(answer, words) {
    if (answer && answer !== this.map.answer && this.shown) {
      const drawn = drawnHeads(answer.weights, words, this.shown.config.num_heads);
      this.map = { answer, drawn, explain: (at) => this.#explain(answer, at) };
    }
    return answer ? this.map.drawn : null;
  }

  /**
   * How a weight of this answer is made; null where the layer has learned on since, which asks it anew at its next
   * pause.
   * @param {Answer} answer @param {import('../../lib/index.js').ExplainOptions} at
   */
  async #explain({ tokens, step }, at) {
    if (this.playing || !this.player) return null;
    const answered = await this.player.ask('explain', { tokens, at });
    return answered.step === step ? answered.explanation : null;
  }

  /** What the heat map shows, with a word at each position. */
  #drawn() {
    const { shown, own, seen, mode } = this;
    if (!shown) return null;
    if (mode === 'held') return this.#map(seen, shown.data.words(seen?.tokens ?? []));
    if (!own) return null;
    const { read, answer } = own;
    return this.#map(answer, [...read.words, ...shown.data.words(answer.tokens.slice(read.words.length))]);
  }

  render() {
    const { shown, text, mode, error, own, held, at, playing } = this;
    const isReady = Boolean(shown && this.player?.run);
    return askView(
      {
        ...{ shown: isReady ? shown : null, text, mode, error, own, held, at, playing },
        drawn: this.#drawn(),
        explain: this.map.explain
      },
      {
        type: (typed) => {
          this.text = typed;
        },
        answer: () => this.#answer(),
        step: (place) => this.#step(place),
        choose: (chosen) => this.#choose(chosen)
      }
    );
  }
}

define('attnscope-train-ask', AskPanel);
