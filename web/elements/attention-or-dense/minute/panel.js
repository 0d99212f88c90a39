import { LightElement, define } from '../../shared/light-element.js';
import { sayFailure } from '../../shared/failure.js';
import { pageScope } from '../../shared/scope.js';
import { Asked, SIDES, placeOf } from '../../../plain/attention-or-dense/minute-layers.js';
import { nudged, screenOf, shownAt } from '../../../plain/attention-or-dense/minute-screen.js';
import { learn } from './learners.js';
import { minuteView } from './view.js';

/**
 * @typedef {import('../../../plain/attention-or-dense/minute-screen.js').Asking} Asking
 * @typedef {import('../../../plain/attention-or-dense/minute-screen.js').Learned} Learned
 * @typedef {import('./learners.js').Begun} Begun
 */

/**
 * Three layers learn when it opens, in workers; the page asks each, with the parameters that it has by then, about an
 * example that the reader nudges. Its static content stays until they have begun.
 */
export class MinutePanel extends LightElement {
  static properties = { asking: { state: true }, learned: { state: true } };

  constructor() {
    super();
    /** @type {Asking | null} */
    this.asking = null;
    /** @type {Learned[]} */
    this.learned = [];
    /** @type {Asked[]} */
    this.asked = [];
  }

  connectedCallback() {
    super.connectedCallback();
    this.ending = new AbortController();
    this.#learn(this.ending.signal);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.ending?.abort(new DOMException('the page was left', 'AbortError'));
  }

  /** @param {AbortSignal} signal */
  async #learn(signal) {
    try {
      const scope = await pageScope();
      if (this.asked.length === 0) this.asked = SIDES.map((variant) => new Asked(scope, variant));
      await learn({
        signal,
        begun: (all) => this.#begin(all),
        learned: (side, latest) => {
          this.learned = this.learned.map((one, at) => (at === side ? { ...one, latest } : one));
        }
      });
    } catch (error) {
      if (!signal.aborted)
        sayFailure(this, `The layers could not be trained here: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** @param {Begun[]} all */
  #begin(all) {
    this.learned = all.map(({ untrained, chance }, side) => ({
      ...{ asked: this.asked[side], untrained, latest: untrained, chance }
    }));
    if (this.asking) return;
    this.asking = shownAt(all[0].examples, 0);
    this.takeOver();
  }

  /** @param {(asking: Asking) => Asking} change */
  #ask(change) {
    if (this.asking) this.asking = change(this.asking);
  }

  /** @param {Asking} asking @param {number} index */
  #show = (asking, index) => ({ ...shownAt(asking.examples, index), trained: asking.trained });

  shouldUpdate() {
    return this.asking !== null;
  }

  render() {
    const asking = /** @type {Asking} */ (this.asking);
    return minuteView(screenOf(this.learned, asking), {
      choose: (day) => this.#ask((one) => ({ ...one, day })),
      nudge: (feature, value) => this.#ask((one) => nudged(one, { day: one.day, feature, value })),
      tryOut: ({ day, feature, by }) =>
        this.#ask((one) => {
          const fresh = this.#show(one, one.index);
          return nudged(fresh, { day, feature, value: fresh.features[placeOf(day, feature)] + by });
        }),
      restore: () => this.#ask((one) => ({ ...this.#show(one, one.index), day: one.day })),
      next: () => this.#ask((one) => this.#show(one, (one.index + 1) % one.examples.length)),
      train: (trained) => this.#ask((one) => ({ ...one, trained }))
    });
  }
}

define('attnscope-minute', MinutePanel);
