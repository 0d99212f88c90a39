// How a weight of the training example is made: of the layer as it is now, while nothing trains.

/** @typedef {import('../../lib/index.js').ExplainOptions} At */
/** @typedef {import('../explain/explanation.js').Explain} Explain */
/** @typedef {Pick<import('./shown.js').Shown, 'moment' | 'example'>} Shown */

export class Explaining {
  #player;
  /** @type {{ seen: Shown['moment']['seen'], playing: boolean, explain: Explain } | null} */
  #known = null;

  /** @param {import('./player.js').Player} player */
  constructor(player) {
    this.#player = player;
  }

  /**
   * What answers for the cells of a moment: the same function for the same, so that no cell is asked for twice.
   * @param {Shown} shown
   */
  of(shown) {
    const { playing } = this.#player;
    const { seen } = shown.moment;
    if (this.#known?.seen !== seen || this.#known.playing !== playing)
      this.#known = { seen, playing, explain: (at) => this.#explain(shown, at) };
    return this.#known.explain;
  }

  /** @param {Shown} shown @param {At} at */
  async #explain({ moment: { step }, example }, at) {
    if (this.#player.playing) return null;
    const answer = await this.#player.ask('explain', { tokens: [...example.tokens.data], at });
    if (answer.step === step) return answer.explanation;
    if (answer.step < step || this.#player.playing) return null;
    throw new RangeError(`the layer has learned on since step ${step}; the last moment can be explained`);
  }
}
