import { LightElement, define } from '../light-element.js';
import { copyText, downloadText } from '../clipboard.js';
import { codeView } from './view.js';

/** `source`: the PyTorch text. Colours arrive when the panel comes near the screen. */
export class CodePanel extends LightElement {
  static properties = { source: {}, filename: {}, highlight: { state: true }, said: { state: true } };

  constructor() {
    super();
    this.source = '';
    this.filename = 'layer.py';
    this.said = '';
    /** @type {((source: string) => DocumentFragment) | null} */
    this.highlight = null;
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) this.#colour();
    }, { rootMargin: '600px' });
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
    return codeView({
      source: this.highlight ? this.highlight(this.source) : this.source,
      text: this.source,
      filename: this.filename,
      said: this.said,
      copy: () => this.#copy(),
      download: () => downloadText(this.filename, this.source, 'text/x-python'),
    });
  }

  async #copy() {
    this.said = await copyText(this.source).then(() => 'Copied', (error) => error.message);
  }
}

define('attnscope-code', CodePanel);
