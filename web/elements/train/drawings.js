// What is drawn of a run, the curves and the heat map: each anew only where what it shows has changed.

import { html } from 'lit';
import { thumbnails } from '../heat-map/raster.js';
import '../heat-map/heat-map.js';
import { nextFrame } from './frame.js';

/**
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {import('../heat-map/drawn.js').Drawn} Drawn
 * @typedef {import('./curves.js').Kind} Kind
 * @typedef {import('./shown.js').Shown} Shown
 * @typedef {{ key: unknown[], time: number, made: Element | null }} Curve
 */

/** Curves are drawn anew at most this often while training runs. */
const CURVES_MS = 150;
const THUMBNAIL = 64;

/** @type {readonly Kind[]} */
const KINDS = ['accuracy', 'loss'];
/** @type {Curve} */
const undrawn = { key: [], time: 0, made: null };

export class Drawings {
  #changed;
  /** Those that were drawn last, and what of. @type {Record<Kind, Curve>} */
  #curves = { loss: undrawn, accuracy: undrawn };
  /** @type {{ point: Point | null, drawn: Drawn | null }} */
  #map = { point: null, drawn: null };

  /** @param {() => void} changed there is more to draw */
  constructor(changed) {
    this.#changed = changed;
    /** What draws curves, once it is there. @type {typeof import('./curves.js') | null} */
    this.draw = null;
    this.width = 0;
  }

  /**
   * One of the two is drawn at a time, so that the page never waits for both.
   * @param {Shown} shown @param {boolean} playing
   */
  curves({ points, moment, data }, playing) {
    const { draw, width } = this;
    const key = [points, moment.step, width];
    const isOld = (/** @type {Kind} */ kind) => key.some((part, index) => part !== this.#curves[kind].key[index]);
    const waits = (/** @type {Kind} */ kind) => playing && performance.now() - this.#curves[kind].time < CURVES_MS;
    const [kind, ...others] = KINDS.filter((one) => isOld(one) && !waits(one));
    if (draw && width && kind) {
      const made = draw.drawCurves(kind, points, { width, chosen: moment.step, chance: data.chance });
      this.#curves = { ...this.#curves, [kind]: { key, time: performance.now(), made } };
      if (others.length) nextFrame().then(this.#changed);
    }
    return { loss: this.#curves.loss.made, accuracy: this.#curves.accuracy.made };
  }

  /** @param {Shown} shown */
  heatMap({ data, example, moment }) {
    if (moment !== this.#map.point && moment.seen) {
      const { weights } = moment.seen;
      const words = data.words([...example.tokens.data]);
      const axes = ['head', 'query', 'key'];
      const drawn = { tensor: weights, name: 'weights', axes, weights: true, repeat: 1, mask: '', words };
      this.#map = { point: moment, drawn: { ...drawn, thumbnails: thumbnails(weights, THUMBNAIL) } };
    }
    return html`<attnscope-heat-map .drawn=${this.#map.drawn} fixed></attnscope-heat-map>`;
  }
}
