// What is drawn of a run, the curves and the heat map: each anew only where what it shows has changed.

import { html } from 'lit';
import '../heat-map/heat-map.js';
import { nextFrame } from './frame.js';
import { drawnHeads } from './heads.js';
import { NONE } from './shown.js';

/**
 * @typedef {import('../heat-map/drawn.js').Drawn} Drawn
 * @typedef {import('./curves.js').Kind} Kind
 * @typedef {import('./curves.js').Axes} Axes
 * @typedef {import('./shown.js').Shown} Shown
 * @typedef {import('./shown.js').Moment} Moment
 * @typedef {{ key: unknown[], time: number, made: Element | null }} Curve
 */

/** Curves are drawn anew at most this often while training runs. */
const CURVES_MS = 150;
/** The map is no taller, so that it is seen at once with the curves. */
const TALLEST = 384;

/** @type {readonly Kind[]} */
const KINDS = ['accuracy', 'loss'];
/** @type {Curve} */
const undrawn = { key: [], time: 0, made: null };

export class Drawings {
  #changed;
  /** Those that were drawn last, and what of. @type {Record<Kind, Curve>} */
  #curves = { loss: undrawn, accuracy: undrawn };
  /** @type {{ seen: Moment['seen'], drawn: Drawn | null }} */
  #map = { seen: null, drawn: null };

  /** @param {() => void} changed there is more to draw */
  constructor(changed) {
    this.#changed = changed;
    /** What draws curves, once it is there. @type {typeof import('./curves.js') | null} */
    this.draw = null;
    this.width = 0;
  }

  /** Loads what draws curves. It is larger than all else on the page but the core, and comes after the first view. */
  async load() {
    this.draw = await import('./curves.js');
    this.#changed();
  }

  /**
   * One of the two is drawn at a time, so that the page never waits for both.
   * @param {Shown | null} shown @param {Axes} axes @param {boolean} playing
   */
  curves(shown, axes, playing) {
    const { draw, width } = this;
    const points = shown?.points ?? NONE;
    const chosen = points.length ? (shown?.moment.step ?? null) : null;
    const key = [points, chosen, width, ...Object.values(axes)];
    const isOld = (/** @type {Kind} */ kind) => key.some((part, index) => part !== this.#curves[kind].key[index]);
    const waits = (/** @type {Kind} */ kind) => playing && performance.now() - this.#curves[kind].time < CURVES_MS;
    const [kind, ...others] = KINDS.filter((one) => isOld(one) && !waits(one));
    if (draw && width && kind) {
      const made = draw.drawCurves(kind, points, { width, chosen, axes });
      this.#curves = { ...this.#curves, [kind]: { key, time: performance.now(), made } };
      if (others.length) nextFrame().then(this.#changed);
    }
    return { loss: this.#curves.loss.made, accuracy: this.#curves.accuracy.made };
  }

  /** @param {Shown} shown @param {import('../explain/explanation.js').Explain} explain answers for cells */
  heatMap({ data, config, example, moment: { seen } }, explain) {
    if (seen && seen !== this.#map.seen) {
      const words = data.words([...example.tokens.data]);
      this.#map = { seen, drawn: drawnHeads(seen.weights, words, config.num_heads) };
    }
    return html`<attnscope-heat-map .drawn=${this.#map.drawn} tallest=${TALLEST} fixed .explain=${explain}></attnscope-heat-map>`;
  }
}
