import { LightElement, define } from '../shared/light-element.js';
import { copyAndSay, downloadText } from '../shared/clipboard.js';
import { codeView } from './view.js';

/** @typedef {Pick<import('../../plain/pytorch-source.js').PyTorchSource, 'module' | 'script'>} Source */

/**
 * `source`: the layer as PyTorch, shown without its self-check at first. Colours arrive when the panel comes near the
 * screen.
 */
export class CodePanel extends LightElement {
  static properties = {
    source: {},
    filename: {},
    selfCheck: { state: true },
    highlight: { state: true },
    said: { state: true }
  };

  constructor() {
    super();
    /** @type {Source} */
    this.source = { module: '', script: '' };
    this.filename = 'layer.py';
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
    const text = this.selfCheck ? this.source.script : this.source.module;
    return codeView({
      source: this.highlight ? this.highlight(text) : text,
      text,
      filename: this.filename,
      said: this.said,
      selfCheck: this.selfCheck,
      check: (selfCheck) => {
        this.selfCheck = selfCheck;
      },
      copy: () =>
        copyAndSay(text, (said) => {
          this.said = said;
        }),
      download: () => downloadText(this.filename, text, 'text/x-python')
    });
  }
}

define('attnscope-code', CodePanel);
