import { nothing } from 'lit';
import { WITH_MASKS } from '../../plain/aside.js';
import { LightElement, define } from '../shared/light-element.js';
import { copyAndSay, downloadText } from '../shared/clipboard.js';
import { codeView, filenameOf } from './view.js';

/**
 * The layer of `store` as PyTorch, its `source`, shown without its self-check at first. Colours arrive when the panel
 * comes near the screen.
 */
export class CodePanel extends LightElement {
  static properties = {
    store: {},
    source: {},
    selfCheck: { state: true },
    highlight: { state: true },
    said: { state: true }
  };

  constructor() {
    super();
    /** @type {import('../../plain/store.js').Store | null} */
    this.store = null;
    /** @type {import('../../plain/pytorch-source.js').PyTorchSource | null} */
    this.source = null;
    this.selfCheck = false;
    this.said = '';
    /** @type {((source: string) => DocumentFragment) | null} */
    this.highlight = null;
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) this.#colour();
      },
      { rootMargin: '600px' }
    );
    this.observer.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer?.disconnect();
  }

  async #colour() {
    this.observer?.disconnect();
    this.highlight = (await import('./highlight.js')).highlightPython;
  }

  render() {
    const { store, source } = this;
    if (!store || !source) return nothing;
    const text = this.selfCheck ? source.script : source.module;
    const filename = filenameOf(store);
    return codeView(store, {
      source: this.highlight ? this.highlight(text) : text,
      text,
      said: this.said,
      selfCheck: this.selfCheck,
      check: (selfCheck) => {
        this.selfCheck = selfCheck;
      },
      take: (masks) => store.look({ code: masks ? WITH_MASKS : '' }),
      copy: () =>
        copyAndSay(text, (said) => {
          this.said = said;
        }),
      download: () => downloadText(filename, text, 'text/x-python')
    });
  }
}

define('attnscope-code', CodePanel);
