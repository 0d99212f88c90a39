import { html } from 'lit';
import { initialValues, readSettings, writeSettings } from '../../plain/labs/settings.js';
import { copyAndSay } from '../shared/clipboard.js';
import { LightElement, define } from '../shared/light-element.js';
import { sayFailure } from '../shared/failure.js';
import { pageScope } from '../shared/scope.js';
import { Address } from './address.js';
import { loadLab } from './labs.js';
import { labView } from './view.js';
import './chart.js';
import '../heat-map/heat-map.js';

/** @typedef {import('./labs.js').Lab} Lab @typedef {import('../../plain/labs/settings.js').Values} Values */

/**
 * A lab, by its `name`: settings, one sentence, one figure. The page's address has the settings. Its static content
 * stays until the module is there.
 */
export class LabElement extends LightElement {
  static properties = {
    values: { state: true },
    errors: { state: true },
    failure: { state: true },
    said: { state: true }
  };

  constructor() {
    super();
    /** @type {Lab | null} */
    this.lab = null;
    /** @type {import('../../lib/index.js').Attnscope | null} */
    this.scope = null;
    /** What was entered. @type {Record<string, unknown>} */
    this.entered = {};
    /** The last that were right. @type {Values} */
    this.values = {};
    /** @type {Record<string, string>} */
    this.errors = {};
    /** What the link asks for and cannot have. @type {string[]} */
    this.leftOut = [];
    /** @type {any} */
    this.data = null;
    this.failure = '';
    this.said = '';
  }

  connectedCallback() {
    super.connectedCallback();
    this.address = new Address(window, () => this.#load());
    if (this.lab) this.#load();
    else this.#open();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.address?.close();
  }

  async #open() {
    try {
      const [scope, lab] = await Promise.all([pageScope(), loadLab(this.getAttribute('name') ?? '')]);
      Object.assign(this, { scope, lab, values: initialValues(lab.settings) });
      this.#load();
      this.replaceChildren();
    } catch (error) {
      sayFailure(this, `WebAssembly could not be started: ${/** @type {Error} */ (error).message}`);
    }
  }

  /** From the address. What it does not name is as at first. */
  #load() {
    if (!this.lab) return;
    const asked = this.address?.read() ?? {};
    const { settings } = this.lab;
    const { values, errors } = readSettings(settings, asked, initialValues(settings));
    const unknown = Object.keys(asked).filter((name) => !settings.some((setting) => setting.name === name));
    const repeated = this.address?.repeated ?? [];
    const strange = unknown.map((name) => `this lab has no setting ${name}`);
    this.leftOut = [...repeated, ...Object.values(errors), ...strange];
    this.entered = { ...values };
    this.#compute(values, {});
  }

  /** @param {Record<string, unknown>} patch @param {string} [gesture] one by one without */
  #set(patch, gesture) {
    if (!this.lab) return;
    this.entered = { ...this.entered, ...patch };
    const { values, errors } = readSettings(this.lab.settings, this.entered, this.values);
    this.leftOut = [];
    if (this.#compute(values, errors) && !Object.keys(patch).some((name) => name in errors))
      this.address?.write(writeSettings(this.lab.settings, values), gesture);
  }

  /** @param {Values} values @param {Record<string, string>} errors @returns {boolean} whether it could be computed */
  #compute(values, errors) {
    this.errors = errors;
    this.failure = '';
    try {
      if (this.scope) this.data = this.lab?.compute(this.scope, values);
      this.values = values;
      return true;
    } catch (error) {
      this.failure = /** @type {Error} */ (error).message;
      return false;
    }
  }

  shouldUpdate() {
    return this.data !== null;
  }

  render() {
    const { lab, data, values, entered, errors, failure, said, leftOut } = this;
    if (!lab) return html``;
    const set = (/** @type {Record<string, unknown>} */ patch, /** @type {string} */ gesture) =>
      this.#set(patch, gesture);
    return labView(
      {
        lab,
        data,
        values,
        entered,
        errors,
        leftOut,
        failure,
        said,
        live: true,
        root: document.documentElement.dataset.root ?? ''
      },
      {
        set,
        settle: () => this.address?.settle(),
        copy: () =>
          copyAndSay(location.href, (text) => {
            this.said = text;
          })
      }
    );
  }
}

define('attnscope-lab', LabElement);
