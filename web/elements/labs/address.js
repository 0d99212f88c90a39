// The address holds the settings of a lab: a link shares them, back undoes. One gesture (a drag, a run of keystrokes in
// one box) is one entry of the history.

import { repeatedIn, valuesIn } from '../../plain/search.js';

const SETTLE_MS = 200;
/** What came along from the calculator, and goes back there. */
const LAYER = 'from';

export class Address {
  #view;
  #written = '';
  #timer = 0;
  /** @type {string | undefined} */
  #gesture;

  /** @param {Window} view @param {() => void} load what back and forward do */
  constructor(view, load) {
    this.#view = view;
    this.load = () => {
      this.#forget();
      load();
    };
    view.addEventListener('popstate', this.load);
  }

  /** The settings that it asks for. @returns {Record<string, string>} */
  read() {
    const { [LAYER]: _, ...settings } = valuesIn(this.#view.location.search);
    return settings;
  }

  /** What it says more than once. */
  get repeated() {
    return repeatedIn(this.#view.location.search);
  }

  /** @param {[string, string][]} settings @param {string} [gesture] without one it is one by itself */
  write(settings, gesture) {
    const { location, history } = this.#view;
    const goesOn = gesture !== undefined && gesture === this.#gesture;
    if (this.#timer && !goesOn) this.#replace();
    const from = new URLSearchParams(location.search).get(LAYER);
    const search = `?${new URLSearchParams(from === null ? settings : [...settings, [LAYER, from]])}`;
    this.#written = search + location.hash;
    if (goesOn) {
      this.#timer ||= this.#view.setTimeout(() => this.#replace(), SETTLE_MS);
      return;
    }
    this.#gesture = gesture;
    if (search !== location.search) history.pushState(null, '', this.#written);
  }

  /** A gesture has ended. */
  settle() {
    if (this.#timer) this.#replace();
    this.#gesture = undefined;
  }

  close() {
    this.settle();
    this.#view.removeEventListener('popstate', this.load);
  }

  #replace() {
    this.#view.clearTimeout(this.#timer);
    this.#timer = 0;
    this.#view.history.replaceState(null, '', this.#written);
  }

  #forget() {
    this.#view.clearTimeout(this.#timer);
    this.#timer = 0;
    this.#gesture = undefined;
  }
}
