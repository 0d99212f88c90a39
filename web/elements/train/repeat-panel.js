// Copies the link of a run, and the script that repeats it in PyTorch, which is written when somebody wants it.

import { exampleTables } from '../../plain/tables/example-tables.js';
import { runScript } from '../../plain/train/script.js';
import { copyAndSay, downloadText } from '../shared/clipboard.js';
import { LightElement, define } from '../shared/light-element.js';
import { repeatView } from './repeat-view.js';

/**
 * @typedef {import('../../plain/train/history.js').Point} Point
 *
 * @typedef {object} Repeated what is repeated: a run, or the settings as they are where there is none
 * @property {string} search the address's
 * @property {string} problem what is wrong with the settings
 * @property {import('../../plain/train/settings.js').Plan | null} plan
 * @property {import('../../plain/train/tasks.js').Data | null} data
 * @property {readonly Point[]} points none before a run
 * @property {number} steps
 * @property {string} file that it is trained on
 */

export class RepeatPanel extends LightElement {
  static properties = {
    scope: {},
    repeated: {},
    playing: { type: Boolean },
    open: { state: true },
    said: { state: true },
    highlight: { state: true }
  };

  constructor() {
    super();
    /** @type {import('../../lib/index.js').Attnscope | null} */
    this.scope = null;
    /** @type {Repeated | null} */
    this.repeated = null;
    this.playing = false;
    this.open = false;
    this.said = { link: '', script: '' };
    /** @type {((source: string) => DocumentFragment) | null} */
    this.highlight = null;
    /** Why the data cannot be printed, if so. */
    this.printable = { data: /** @type {unknown} */ (null), problem: '' };
    /** The last that was written, and what of. */
    this.written = { key: /** @type {unknown[]} */ ([]), text: '', problem: '', shown: /** @type {unknown} */ ('') };
  }

  /** Written anew only where something has changed. @returns {{ text: string, problem: string }} */
  script() {
    const { scope, repeated } = this;
    if (!scope || !repeated) return { text: '', problem: 'the page is not ready yet' };
    const { plan, data, points, steps, problem } = repeated;
    if (!plan || !data) return { text: '', problem };
    const key = [plan, data, points, steps];
    if (key.some((one, at) => one !== this.written.key[at]))
      this.written = { key, shown: null, ...textOf(() => runScript(scope, plan, data, { points, steps })) };
    return this.written;
  }

  /** What stands in the panel: while training goes on, what stood there of this run when it began. */
  #shown() {
    const isOfRun = this.written.key[0] === this.repeated?.plan;
    const { text } = this.playing && isOfRun ? this.written : this.script();
    if (!this.highlight) return { text, source: text };
    this.written.shown ??= this.highlight(text);
    return { text, source: this.written.shown };
  }

  /** @param {boolean} open */
  async #toggle(open) {
    this.open = open;
    if (open) this.highlight ??= (await import('../code/highlight.js')).highlightPython;
  }

  /** @param {'link' | 'script'} kind @param {string} text */
  #copy(kind, text) {
    copyAndSay(text, (said) => {
      this.said = { link: '', script: '', [kind]: said };
    });
  }

  /** @param {(text: string) => void} use */
  #withScript(use) {
    const { text } = this.script();
    if (text) use(text);
    else this.requestUpdate();
  }

  render() {
    const { repeated, open, said } = this;
    const { text, source } = open ? this.#shown() : { text: '', source: '' };
    return repeatView(
      {
        ...{ said, open, source },
        lines: text.split('\n').length - 1,
        problem: this.#problem(),
        note: noteOf(repeated)
      },
      {
        link: () => this.#copy('link', location.origin + location.pathname + (repeated?.search ?? '')),
        copy: () => this.#withScript((script) => this.#copy('script', script)),
        download: () =>
          this.#withScript((script) => downloadText(`${repeated?.plan?.task}.py`, script, 'text/x-python')),
        toggle: (open) => this.#toggle(open)
      }
    );
  }

  /** A table too large to print is known by its data alone, before anything is written. */
  #problem() {
    const { plan, data, problem = '' } = this.repeated ?? {};
    if (!plan || !data) return problem;
    if (this.printable.data !== data) this.printable = { data, problem: textOf(() => data.python().source).problem };
    return this.printable.problem;
  }
}

/** @param {() => string} write @returns {{ text: string, problem: string }} what is too large says so */
function textOf(write) {
  try {
    return { text: write(), problem: '' };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { text: '', problem: error.message };
  }
}

/** @param {Repeated | null} repeated */
function noteOf(repeated) {
  if (!repeated?.file || exampleTables.some(({ name }) => name === repeated.file)) return '';
  const script = repeated.problem ? '' : ' The script has its rows.';
  return `The link names ${repeated.file} but does not hold it: who opens it is asked for the file.${script}`;
}

define('attnscope-train-repeat', RepeatPanel);
