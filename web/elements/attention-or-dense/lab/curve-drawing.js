// The curves, drawn anew only where what they show has changed, and not too often while runs go on. The module that
// draws them is larger than all else on the page but the core: it loads when something has run, or when their place
// comes near.

/** @typedef {import('./curves.js').Curve} Curve @typedef {Omit<import('./curves.js').How, 'width'>} How */

const LEAST_MS = 250;
/** How far below what is seen the place of the curves counts as near. */
const NEAR = '400px';

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
  #near;
  /** @type {Element | null} */
  #place = null;

  /** @param {() => void} changed */
  constructor(changed) {
    this.#changed = changed;
    const come = (/** @type {IntersectionObserverEntry[]} */ places) =>
      places.some(({ isIntersecting }) => isIntersecting) && this.#load();
    this.#near = new IntersectionObserver(come, { rootMargin: NEAR });
  }

  /** @param {Element} place of the curves, as it is now */
  fit(place) {
    if (place !== this.#place && !this.#loading) {
      this.#near.disconnect();
      this.#near.observe(place);
    }
    this.#place = place;
    if (place.clientWidth === this.#width || place.clientWidth === 0) return;
    this.#width = place.clientWidth;
    this.#changed();
  }

  async #load() {
    if (this.#loading) return;
    this.#loading = true;
    this.#near.disconnect();
    this.#draw = (await import('./curves.js')).drawCurves;
    this.#changed();
  }

  /** @param {readonly Curve[]} curves @param {How} how @param {boolean} playing */
  of(curves, how, playing) {
    if (!curves.some(({ spots }) => spots.length > 0)) {
      this.#key = '';
      this.#made = null;
      return null;
    }
    this.#load();
    if (!this.#draw || !this.#width) return this.#made;
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
