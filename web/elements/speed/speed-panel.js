import { LightElement, define } from '../shared/light-element.js';
import { Engine } from '../run/engine.js';
import { pageScope } from '../shared/scope.js';
import { speedView } from './view.js';

/**
 * @typedef {import('./worker.js').Job} Job
 * @typedef {import('../../plain/measured.js').Part} Part
 * @typedef {import('./worker.js').Progress} Progress
 * @typedef {typeof import('./roofline.js')} Draw
 */

const MOST_RUNS = 25;

/**
 * Times attention layers in this browser and draws the roofline. `?runs=3` in the page's address: at most so many
 * timings of each.
 */
export class SpeedPanel extends LightElement {
  static properties = {
    parts: { state: true },
    progress: { state: true },
    failure: { state: true },
    said: { state: true },
    lacking: { state: true },
    chosen: { state: true },
    draw: { state: true },
    width: { state: true }
  };

  constructor() {
    super();
    /** What was measured; what a cancel or an error cuts off stays. @type {Part[]} */
    this.parts = [];
    /** @type {Progress | null} */
    this.progress = null;
    this.failure = '';
    this.said = '';
    /** What this engine lacks for the fastest build. */
    this.lacking = '';
    /** How many threads the chart and the table are of; 0: those that were measured last. */
    this.chosen = 0;
    /** @type {Draw | null} */
    this.draw = null;
    this.width = 0;
    /** @type {Engine<Job, Part[], Progress>} */
    this.engine = new Engine(() => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }), {
      stage: 'Opening the module',
      done: 0,
      parts: []
    });
    this.resize = new ResizeObserver(() => this.#fit());
  }

  connectedCallback() {
    super.connectedCallback();
    this.takeOver();
    this.resize.observe(this);
    pageScope().then(
      ({ build }) => {
        this.lacking = build.reason;
      },
      (error) => {
        this.failure = `WebAssembly could not be started: ${error.message}`;
      }
    );
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resize.disconnect();
    this.engine.dispose();
  }

  /** @param {Map<string, any>} changed */
  update(changed) {
    this.handFocus('[data-action="cancel"]', '[data-action="measure"]', () => super.update(changed));
  }

  updated() {
    this.#fit();
  }

  #fit() {
    const plot = this.renderRoot.querySelector('.plot');
    if (plot) this.width = Math.floor(plot.getBoundingClientRect().width);
  }

  /** Measures anew. */
  async start() {
    this.failure = '';
    this.said = 'Measuring';
    this.parts = [];
    this.chosen = 0;
    this.progress = { stage: 'Starting', done: 0, parts: [] };
    try {
      const most = askedRuns(location.search);
      // Both at once: a measurement that is cancelled while the chart loads has begun.
      const measured = this.engine.run({ most }, (progress) => this.#take(progress));
      const [parts] = await Promise.all([measured, this.#loadChart()]);
      this.parts = parts;
      this.said = 'Measured';
    } catch (error) {
      this.#onFailure(/** @type {Error} */ (error));
    } finally {
      this.progress = null;
    }
  }

  async #loadChart() {
    this.draw ??= await import('./roofline.js');
  }

  /** @param {Progress} progress */
  #take(progress) {
    if (!this.progress) return; // of a run that was cancelled
    this.progress = progress;
    this.parts = progress.parts;
    return this.updateComplete.then(() => {});
  }

  /** @param {Error} error */
  #onFailure({ name, message }) {
    this.engine.cancel(); // where it is the chart that could not be loaded
    this.said = '';
    const left = this.parts.some(({ timings }) => timings.length) ? ' What was measured before stays.' : '';
    this.failure = `${name === 'AbortError' ? 'Cancelled.' : message}${left}`;
  }

  render() {
    return speedView(this, {
      start: () => this.start(),
      cancel: () => this.engine.cancel(),
      choose: (threads) => {
        this.chosen = threads;
      }
    });
  }
}

/** @param {string} search @returns {number | undefined} */
function askedRuns(search) {
  const asked = new URLSearchParams(search).get('runs');
  if (asked === null) return undefined;
  const runs = Number(asked);
  if (!Number.isInteger(runs) || runs < 1 || runs > MOST_RUNS)
    throw new RangeError(`runs must be an integer from 1 to ${MOST_RUNS}, got ${asked}`);
  return runs;
}

define('attnscope-speed', SpeedPanel);
