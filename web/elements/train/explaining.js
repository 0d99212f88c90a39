// How a weight of the training example is made: of the layer as it is now, while nothing trains.

/** @typedef {import('../../lib/index.js').ExplainOptions} At */
/** @typedef {import('../explain/explanation.js').Explain} Explain */
/** @typedef {Pick<import('../../plain/train/history.js').Point, 'step' | 'seen'>} Moment */

export class Explaining {
  #player;
  /** @type {{ seen: Moment['seen'], playing: boolean, explain: Explain } | null} */
  #known = null;

  /** @param {import('./player.js').Player} player */
  constructor(player) {
    this.#player = player;
  }

  /**
   * What answers for the cells of a moment: the same function for the same, so that no cell is asked for twice.
   * @param {Moment} moment
   */
  of(moment) {
    const { playing } = this.#player;
    if (this.#known?.seen !== moment.seen || this.#known.playing !== playing)
      this.#known = { seen: moment.seen, playing, explain: (at) => this.#explain(moment, at) };
    return this.#known.explain;
  }

  /** @param {Moment} moment @param {At} at */
  async #explain({ step }, at) {
    if (this.#player.playing) return null;
    const answer = await this.#player.ask('explain', at);
    if (answer.step === step) return answer.explanation;
    if (answer.step < step || this.#player.playing) return null;
    throw new RangeError(`the layer has learned on since step ${step}; the last moment can be explained`);
  }
}
