// The curves, drawn anew only where what they show has changed, and not too often while runs go on.

/** @typedef {import('./curves.js').Curve} Curve @typedef {Omit<import('./curves.js').How, 'width'>} How */

const LEAST_MS = 250;

export class CurveDrawing {
  #changed;
  /** @type {typeof import('./curves.js').drawCurves | null} */
  #draw = null;
  #loading = false;
  #width = 0;
  #key = '';
  #time = -Infinity;
  /** @type {Element | null} */
  #made = null;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /** @param {number} width */
  fit(width) {
    if (width === this.#width || width === 0) return;
    this.#width = width;
    this.#changed();
  }

  async #load() {
    if (this.#loading) return;
    this.#loading = true;
    this.#draw = (await import('./curves.js')).drawCurves;
    this.#changed();
  }

  /** @param {readonly Curve[]} curves @param {How} how @param {boolean} playing */
  of(curves, how, playing) {
    if (!this.#draw) this.#load();
    if (!this.#draw || !this.#width || curves.length === 0) return this.#made;
    const marks = curves.map(({ title, spots }) => [
      title,
      spots.length,
      spots.reduce((sum, spot) => sum + spot.seeds, 0),
      spots.at(-1)?.mean
    ]);
    const key = JSON.stringify([marks, how, this.#width]);
    if (key === this.#key || (playing && performance.now() - this.#time < LEAST_MS)) return this.#made;
    this.#key = key;
    this.#time = performance.now();
    this.#made = this.#draw(curves, { ...how, width: this.#width });
    return this.#made;
  }
}
