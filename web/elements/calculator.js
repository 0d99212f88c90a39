import { LitElement, html, nothing } from 'lit';
import { calculatorView } from './calculator-view.js';
import { copyText } from './clipboard.js';
import { toCsv, toJson, toMarkdown } from './exports.js';
import { define } from './light-element.js';
import { pageScope } from './scope.js';
import { Store } from './state/store.js';
import { bindUrl, readSearch, writeSearch } from './state/url.js';
import { presetValues } from './views/presets.js';
import './charts/chart-panel.js';
import './code/code-panel.js';
import './import/import-panel.js';
import './run/run-panel.js';

/**
 * The calculator. Attributes: any field by its name (`hidden_size="1024"`) as the start; `address` keeps the state in the page's
 * address; `light-dom` renders among its children, for a page that has the stylesheet. Sends `change` with the estimate.
 */
export class AttnscopeCalculator extends LitElement {
  static properties = { store: { state: true }, failure: { state: true }, said: { state: true } };

  constructor() {
    super();
    /** @type {Store | null} */
    this.store = null;
    this.failure = '';
    this.said = '';
    /** @type {() => void} */
    this.unbind = () => {};
  }

  createRenderRoot() {
    if (this.hasAttribute('light-dom')) return this;
    const root = this.attachShadow({ mode: 'open' });
    import('./styles/calculator.css?inline').then(({ default: text }) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      root.adoptedStyleSheets = [sheet];
    });
    return root;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#open().catch((error) => {
      this.renderOptions.renderBefore = this.renderRoot.firstChild;
      this.failure = error.message;
    });
  }

  /** Until there is something to show, the static content stays. */
  shouldUpdate() {
    return Boolean(this.store || this.failure);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.unbind();
  }

  async #open() {
    const scope = await pageScope();
    const store = new Store(scope, this.#initial());
    store.addEventListener('change', () => {
      this.said = '';
      this.requestUpdate();
      if (store.valid) this.dispatchEvent(new CustomEvent('change', { detail: store.estimate }));
    });
    if (this.hasAttribute('address')) this.unbind = bindUrl(store, window);
    if (this.renderRoot === this) this.#takeOver(store);
    this.store = store;
  }

  #initial() {
    if (this.hasAttribute('address') && location.search) return readSearch(location.search);
    const own = ['address', 'light-dom', 'class', 'id', 'style', 'slot'];
    return Object.fromEntries(this.getAttributeNames().filter((name) => !own.includes(name)).map((name) => [name, this.getAttribute(name)]));
  }

  /** The static form goes; what was typed into it meanwhile stays. @param {Store} store */
  #takeOver(store) {
    const active = /** @type {HTMLInputElement | null} */ (this.contains(document.activeElement) ? document.activeElement : null);
    const edited = /** @type {HTMLInputElement[]} */ ([...this.querySelectorAll('input.number')]).filter((input) => input.value !== input.defaultValue);
    this.replaceChildren();
    for (const { name, value } of edited) store.set({ [name]: value });
    if (active?.id) this.updateComplete.then(() => /** @type {HTMLElement | null} */ (this.querySelector(`#${active.id}`))?.focus());
  }

  /** Takes a layer and some of its fields; the others go to their defaults. False until the module is open. @param {Record<string, unknown>} values */
  fill(values) {
    this.store?.set(presetValues(this.store, values));
    return Boolean(this.store);
  }

  render() {
    if (this.failure) return html`<p class="field-error" role="alert">WebAssembly could not be started: ${this.failure}</p>`;
    const { store } = this;
    if (!store) return nothing;
    return calculatorView(store, {
      set: (patch, edit) => store.set(patch, edit),
      calculate: () => this.#calculate(),
    }, {
      charts: html`<attnscope-charts .store=${store} .estimate=${store.estimate}></attnscope-charts>`,
      run: html`<attnscope-run .store=${store} .config=${store.config} .estimate=${store.estimate} .seed=${store.seed} .seedError=${store.seedError}></attnscope-run>`,
      code: html`<attnscope-code .source=${store.scope.pytorch(store.config)} .filename=${`${store.config.layer}.py`}></attnscope-code>`,
      importer: html`<attnscope-import .store=${store}></attnscope-import>`,
    }, { said: this.said, export: (kind) => this.#export(kind) });
  }

  /** Shows what is wrong, or brings the answer into view. */
  #calculate() {
    const wrong = this.renderRoot.querySelector('.form [aria-invalid="true"]');
    if (wrong) {
      wrong.closest('details')?.setAttribute('open', '');
      /** @type {HTMLElement} */ (wrong).focus();
      return;
    }
    this.store?.set({});
    const answer = this.renderRoot.querySelector('.answer');
    const box = answer?.getBoundingClientRect();
    if (box && (box.top < 0 || box.bottom > innerHeight)) answer?.scrollIntoView({ block: 'start' });
  }

  /** @param {string} kind */
  async #export(kind) {
    const { store } = this;
    if (!store) return;
    const link = new URL(writeSearch(store), location.href).href;
    const text = {
      link, json: toJson(store.estimate), csv: toCsv(store.estimate), markdown: toMarkdown(store.estimate, link),
    }[kind] ?? '';
    this.said = await copyText(text).then(() => 'Copied', (error) => error.message);
  }
}

define('attnscope-calculator', AttnscopeCalculator);
