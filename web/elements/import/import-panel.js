import { fromHuggingFace } from '../../lib/index.js';
import { LightElement, define } from '../shared/light-element.js';
import { formatBytes } from '../../plain/format.js';
import { parsePythonJson } from '../../plain/python-json.js';
import { modelRefusal, takeModel } from '../models/model.js';
import { importView } from './view.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../../lib/index.js').Imported} Imported
 */

/** A config.json has some kilobytes; more is another file, which is not worth reading. */
const LARGEST_FILE = 2 ** 20;

/** Fills the form from the config.json of a Hugging Face model. `.store` */
export class ImportPanel extends LightElement {
  static properties = {
    store: {},
    text: { state: true },
    error: { state: true },
    imported: { state: true },
    current: { state: true },
    over: { state: true }
  };

  constructor() {
    super();
    /** @type {Store | null} */
    this.store = null;
    this.text = '';
    this.error = '';
    /** What the form was filled from last. @type {Imported | null} */
    this.imported = null;
    /** Whether that is what the box holds. */
    this.current = false;
    this.over = false;
  }

  /** @param {string} text @param {string} [name] of the model, by its file */
  read(text, name = '') {
    this.text = text;
    if (!text.trim()) {
      this.#refuse('');
      return;
    }
    try {
      this.#take(fromHuggingFace(checked(parsed(text)), name ? { name } : {}));
      this.error = '';
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.#refuse(error.message);
    }
  }

  /** @param {Imported} imported */
  #take(imported) {
    const { store } = this;
    if (!store) return;
    const config = /** @type {any} */ (imported.config);
    const refused = modelRefusal(store, config);
    if (refused) throw new RangeError(refused);
    takeModel(store, config, imported.model);
    this.imported = imported;
    this.current = true;
  }

  /** Says what is wrong with a file, in view, while the answer is still that of before. @param {string} message */
  async #refuse(message) {
    this.error = message;
    this.current = false;
    this.store?.refuse(message !== '');
    await this.updateComplete;
    if (message) this.querySelector('#import-error')?.scrollIntoView({ block: 'nearest' });
  }

  /** @param {File} file */
  async readFile(file) {
    if (file.size > LARGEST_FILE) {
      this.#refuse(`${file.name} has ${formatBytes(file.size)}; a config.json has some kilobytes`);
      return;
    }
    const text = await file.text().catch(() => null);
    if (text === null) this.#refuse(`${file.name} could not be read; of a folder, drop the config.json in it`);
    else if (text.trim()) this.read(text, nameOf(file.name));
    else this.#refuse(`${file.name} is empty; a config.json holds an object`);
  }

  /** @param {DragEvent} event */
  #drop(event) {
    event.preventDefault();
    this.over = false;
    const [file] = event.dataTransfer?.files ?? [];
    const text = event.dataTransfer?.getData('text') ?? '';
    if (file) this.readFile(file);
    else if (text.trim()) this.read(text);
    else this.#refuse('what was dropped has no text; drop a config.json');
  }

  /** What is pasted before there is a form to fill would be lost: until then the panel is the static page's. */
  shouldUpdate() {
    return this.store !== null;
  }

  render() {
    const inside = insideOf(this.error, this.text);
    return importView({
      text: this.text,
      error: this.error,
      inside,
      readInside: () => this.read(JSON.stringify(partOf(this.text, inside), null, 2)),
      imported: this.imported,
      current: this.current,
      over: this.over,
      type: (text) => this.read(text),
      choose: (file) => this.readFile(file),
      drag: (event) => {
        event.preventDefault();
        this.over = true;
      },
      leave: () => {
        this.over = false;
      },
      drop: (event) => this.#drop(event)
    });
  }
}

/**
 * `DeepSeek-R1` for DeepSeek-R1.json and DeepSeek-R1-config.json, '' for config.json and config(1).json.
 * @param {string} file
 */
const nameOf = (file) =>
  file
    .replace(/\.(json|txt)$/i, '')
    .replace(/\s*\(\d+\)$/, '')
    .replace(/(^|[\s._-]+)config$/i, '');

/** @param {string} text */
function parsed(text) {
  try {
    return parsePythonJson(text);
  } catch (error) {
    throw new RangeError(`This is not JSON: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
}

/** Keys by which other files of a model's folder are known, and their names. */
const OTHERS = { tokenizer_class: 'tokenizer_config.json', peft_type: 'adapter_config.json' };

/** @param {any} file */
function checked(file) {
  const [, other] = Object.entries(OTHERS).find(([key]) => file?.[key] && !file.model_type) ?? [];
  if (other) throw new RangeError(`This is ${other}: open the config.json of the model`);
  return file;
}

/** A part that the message names as one to be read alone. @param {string} message @param {string} text */
function insideOf(message, text) {
  const [, named] = /read where ([\w.]+) is given alone/.exec(message) ?? [];
  if (!named) return '';
  const path = named === 'it' ? 'text_config' : named;
  return partOf(text, path) ? path : '';
}

/** @param {string} text @param {string} path @returns {any} */
const partOf = (text, path) => path.split('.').reduce((part, name) => part?.[name], parsed(text));

define('attnscope-import', ImportPanel);
