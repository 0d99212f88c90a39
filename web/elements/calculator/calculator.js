import { LitElement, html, nothing } from 'lit';
import { fieldNames, switchNames } from 'virtual:field-names';
import { isPlain, show } from '../../lib/values.js';
import { keepPlace } from './arrive.js';
import { calculatorView } from './view.js';
import { keepClicks } from '../shared/clicks.js';
import { copyAndSay } from '../shared/clipboard.js';
import { exportText } from '../../plain/take-away.js';
import { pageScope } from '../shared/scope.js';
import { readPanels, tabOf } from './panels.js';
import { tabsOf } from './tabs.js';
import { attributeMessages, configMessages, panelMessages, themeMessages } from './host.js';
import { repeatedIn, valuesIn } from '../../plain/search.js';
import { Store } from '../../plain/store.js';
import { keepFocus, typedInto } from './typed.js';
import { bindUrl, writeSearch } from './url.js';
import { takePublished } from '../models/models.js';
import { presetValues, startWithPreset } from '../models/presets.js';

/** The form's first field, in a link. */
const FORM = '#field-layer';

/** The way to the site's first page, from one of its pages. */
const siteRoot = () => document.documentElement.dataset.root ?? './';

/** To the page that runs the layer, with a tensor in view. @param {Store} store @param {string} tensor */
const runLink = (store, tensor) => `${siteRoot()}run/${writeSearch(store, { tensor })}#run`;

const KNOWN = [...fieldNames, 'address', 'light-dom', 'panels', 'tabs', 'theme'];

/**
 * The calculator. Any field is an attribute and a property by its name (`hidden_size="1024"`, `.hidden_size = 1024`),
 * and `.config` is all of them at once. Whatever was set last wins: attribute, property or what the visitor entered; at
 * the start properties come after attributes, and an attribute that is removed, like a property that is undefined,
 * gives the default. `panels` names the parts that it has (panels.js; all without it), `tabs` shows some of them one at
 * a time; `theme` is light or dark, whatever the page around it is. `address` keeps the state in the page's address,
 * which wins at the start; `light-dom` renders among its children, for a page that has the stylesheet. Sends `change`
 * with the estimate once at the start and whenever the estimate is another.
 */
export class AttnscopeCalculator extends LitElement {
  static properties = {
    store: { state: true },
    failure: { state: true },
    copied: { state: true },
    messages: { state: true },
    panels: {},
    tabs: { type: Boolean },
    tab: { state: true },
    folded: { state: true },
    open: { state: true }
  };

  static get observedAttributes() {
    return [...super.observedAttributes, ...fieldNames];
  }

  static {
    for (const name of fieldNames) {
      Object.defineProperty(this.prototype, name, {
        configurable: true,
        enumerable: true,
        get() {
          return this.#read(name);
        },
        set(value) {
          this.#take({ [name]: value });
        }
      });
    }
  }

  /** What was set before there was a store to take it. @type {Record<string, unknown>} */
  #asked = {};
  /** The `config` that was set last. @type {Record<string, unknown> | null} */
  #given = null;
  /** Properties that the element had before it was one. @type {Record<string, unknown>} */
  #early = {};
  /** The configuration whose estimate was sent last. */
  #sent = '';
  /** @type {Element | null} */
  #watched = null;

  constructor() {
    super();
    /** @type {Store | null} */
    this.store = null;
    this.failure = '';
    /** What was copied last, and what came of it. */
    this.copied = { kind: '', said: '' };
    /** About attributes and a `config` that the page around the element got wrong. @type {string[]} */
    this.messages = [];
    /** @type {string | null} */
    this.panels = null;
    this.tabs = false;
    /** The tab that was chosen; '' is the first. */
    this.tab = '';
    /** Whether the answer itself is in sight. */
    this.folded = true;
    /** Whether the form is shown, where it is a sheet. */
    this.open = false;
    this.sight = new IntersectionObserver(
      ([{ isIntersecting }]) => {
        this.folded = isIntersecting;
      },
      { rootMargin: '-56px 0px 0px' }
    );
    /** @type {() => void} */
    this.unbind = () => {};
    for (const name of ['config', ...fieldNames].filter((name) => Object.hasOwn(this, name))) {
      this.#early[name] = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
    }
    new MutationObserver(() => this.#judge()).observe(this, { attributes: true });
  }

  createRenderRoot() {
    return this.hasAttribute('light-dom') ? this : super.createRenderRoot();
  }

  /** The last valid estimate; null until the module is open. */
  get estimate() {
    return this.store?.estimate ?? null;
  }

  /** The last valid configuration, whole; null until the module is open. */
  get config() {
    return this.store && { ...this.store.config };
  }

  /** Fields that it leaves out go to their defaults; null is the first layer with its defaults. */
  set config(config) {
    if (config !== null && config !== undefined && !isPlain(config))
      throw new RangeError(`config must be a plain object, got ${show(config)}`);
    this.#given = config ?? null;
    if (this.store) this.store.set(presetValues(this.store, config ?? { layer: this.store.layers[0].name }));
    else this.#asked = { ...config };
    this.#judge();
  }

  connectedCallback() {
    super.connectedCallback();
    addEventListener('hashchange', this.#onHash);
    this.addEventListener('keydown', this.#onKey);
    this.#onHash();
    Object.assign(this, this.#early);
    this.#early = {};
    if (this.store) {
      this.#settle();
      return;
    }
    this.#open().catch((error) => {
      this.renderOptions.renderBefore = this.renderRoot.firstChild;
      this.failure = error.message;
      this.#sayLive();
    });
  }

  /** Until there is something to show, the static content stays. */
  shouldUpdate() {
    return Boolean(this.store || this.failure);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    removeEventListener('hashchange', this.#onHash);
    this.removeEventListener('keydown', this.#onKey);
    this.sight.disconnect();
    this.unbind();
  }

  /** A link within the page to something in a tab opens that tab, and one to the form leads into it. */
  #onHash = () => {
    if (!this.hasAttribute('address')) return;
    this.tab = tabOf(location.hash) || this.tab;
    if (location.hash === FORM) this.#enterForm();
  };

  /** Shows the form where it is a sheet, and puts the focus into it. */
  async #enterForm() {
    this.open = true;
    await this.updateComplete;
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(FORM))?.focus();
  }

  /** @param {KeyboardEvent} event */
  #onKey = ({ key }) => {
    if (key === 'Escape' && this.open) this.#toggle();
  };

  updated() {
    const figures = this.renderRoot.querySelector('.answer .figures');
    if (!figures || figures === this.#watched) return;
    this.sight.disconnect();
    this.sight.observe(figures);
    this.#watched = figures;
  }

  /** @param {string} name @param {string | null} before @param {string | null} value */
  attributeChangedCallback(name, before, value) {
    super.attributeChangedCallback(name, before, value);
    if (fieldNames.includes(name))
      this.#take({ [name]: value === '' && switchNames.includes(name) ? true : (value ?? undefined) });
  }

  async #open() {
    const arrive = this.renderRoot === this ? keepPlace() : () => {};
    const scope = await pageScope();
    if (this.store) return; // the element was moved in the page, and has opened twice
    const store = new Store(scope, this.#initial(), repeatedIn(location.search));
    if (!this.#isLinked()) {
      store.leftOut = []; // #judge() has messages about attributes
      startWithPreset(store);
    }
    store.addEventListener('change', () => {
      this.requestUpdate();
      this.#announce();
    });
    const takeUp = this.renderRoot === this ? this.#takeOver() : () => {};
    this.store = store;
    this.failure = '';
    this.#judge();
    this.#settle();
    await takeUp();
    this.#sayLive();
    arrive();
  }

  /** To the page, whose links wait for what was chosen before (pages/public/doors.js). */
  #sayLive() {
    if (this.hasAttribute('address')) this.dispatchEvent(new Event('live'));
  }

  /** When the element is put into a page, the first time or again. */
  #settle() {
    if (!this.isConnected) return;
    this.unbind();
    if (this.hasAttribute('address') && this.store) this.unbind = bindUrl(this.store, window, this.renderRoot);
    this.#announce();
  }

  #announce() {
    const { store } = this;
    if (!store?.valid || !this.isConnected) return;
    const config = JSON.stringify(store.config);
    if (config === this.#sent) return;
    this.#sent = config;
    this.dispatchEvent(new CustomEvent('change', { detail: store.estimate, bubbles: true, composed: true }));
  }

  /** @param {string} name */
  #read(name) {
    if (!this.store) return this.#asked[name];
    return name === 'seed' ? this.store.seed : this.store.config[name];
  }

  /** @param {Record<string, unknown>} patch a field that is undefined goes to its default */
  #take(patch) {
    if (!this.store) Object.assign(this.#asked, patch);
    else this.store.set('layer' in patch ? { layer: patch.layer ?? this.store.layers[0].name } : patch);
  }

  #judge() {
    const messages = [
      ...attributeMessages(this, KNOWN),
      ...panelMessages(readPanels(this.getAttribute('panels')).unknown),
      ...themeMessages(this.getAttribute('theme')),
      ...(this.store && this.#given ? configMessages(this.store, this.#given) : [])
    ];
    if (String(messages) !== String(this.messages)) this.messages = messages;
  }

  #isLinked() {
    return this.hasAttribute('address') && location.search !== '';
  }

  #initial() {
    if (this.#isLinked()) return valuesIn(location.search);
    return Object.fromEntries(Object.entries(this.#asked).filter(([name]) => fieldNames.includes(name)));
  }

  /** Removes the static form. What it returns carries over what was typed and clicked there, and the focus. */
  #takeOver() {
    const typed = typedInto(this);
    const refocus = keepFocus(this);
    const click = keepClicks(this);
    this.replaceChildren();
    delete document.documentElement.dataset.linked;
    return async () => {
      const { store } = this;
      if (store && Object.keys(typed).length) {
        const { leftOut } = store;
        store.set(typed);
        store.leftOut = leftOut;
      }
      await this.updateComplete;
      refocus();
      await click();
    };
  }

  /**
   * Takes a layer and some of its fields; the others go to their defaults. False until the module is open.
   * @param {Record<string, unknown>} values
   */
  fill(values) {
    this.store?.set(presetValues(this.store, values));
    return Boolean(this.store);
  }

  render() {
    if (this.failure)
      return html`<p class="field-error" role="alert">WebAssembly could not be started: ${this.failure}</p>`;
    const { store } = this;
    if (!store) return nothing;
    return calculatorView(
      store,
      {
        set: (patch, edit) => store.set(patch, edit),
        calculate: () => this.#calculate()
      },
      {
        charts: html`<attnscope-charts .store=${store} .estimate=${store.estimate}></attnscope-charts>`,
        run: html`<attnscope-run .store=${store} .config=${store.config} .estimate=${store.estimate} .seed=${store.seed} .seedError=${store.seedError} .aside=${store.aside}></attnscope-run>`,
        code: html`<attnscope-code class=${store.aside.code ? 'masked' : ''} .store=${store} .source=${store.source}></attnscope-code>`,
        importer: html`<attnscope-import .store=${store}></attnscope-import>`
      },
      { ...this.copied, linked: this.hasAttribute('address'), export: (kind) => this.#export(kind) },
      this.#layout(store),
      this.messages
    );
  }

  /** @param {Store} store @returns {import('./view.js').Layout} */
  #layout(store) {
    const { panels } = readPanels(this.panels);
    const tabs = this.tabs ? tabsOf(panels).map(({ id }) => id) : [];
    return {
      panels,
      tab: tabs.length > 1 ? (tabs.find((id) => id === this.tab) ?? tabs[0]) : null,
      folded: this.folded,
      open: this.open,
      live: true,
      root: this.hasAttribute('address') ? siteRoot() : null,
      see: this.hasAttribute('address') && !panels.includes('run') ? (tensor) => runLink(store, tensor) : null,
      choose: (tab) => this.#choose(tab),
      toggle: () => this.#toggle(),
      bring: (patch) => {
        store.set(patch);
        this.#showAnswer();
      },
      take: (name) => {
        takePublished(store, name);
        this.#showAnswer();
      }
    };
  }

  /** @param {string} tab */
  #choose(tab) {
    this.tab = tab;
    if (this.hasAttribute('address')) history.replaceState(history.state, '', `${location.search}#${tab}`);
  }

  /** Shows the form, or puts it away, where it is a sheet; the focus goes along. */
  async #toggle() {
    this.open = !this.open;
    await this.updateComplete;
    if (this.open) this.renderRoot.querySelector('.strip')?.scrollIntoView({ behavior: 'instant' });
    /** @type {HTMLElement | null} */ (this.renderRoot.querySelector(this.open ? '.rail' : '.sheet-button'))?.focus();
  }

  /** Shows what is wrong, or the answer. */
  #calculate() {
    const wrong = this.renderRoot.querySelector('.form [aria-invalid="true"]');
    if (wrong) {
      wrong.closest('details')?.setAttribute('open', '');
      /** @type {HTMLElement} */ (wrong).focus();
      return;
    }
    this.store?.set({});
    this.#showAnswer();
  }

  /** Brings the answer into view. */
  #showAnswer() {
    const answer = this.renderRoot.querySelector('.answer');
    const box = answer?.getBoundingClientRect();
    if (box && (box.top < 0 || box.bottom > innerHeight)) answer?.scrollIntoView({ block: 'start' });
  }

  /** @param {string} kind */
  #export(kind) {
    const { store } = this;
    if (!store) return;
    const link = this.hasAttribute('address') ? new URL(writeSearch(store), location.href).href : '';
    const text = exportText(kind, store, link);
    copyAndSay(text, (said) => {
      this.copied = { kind, said };
    });
  }
}
