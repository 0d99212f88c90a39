import { LightElement, define } from '../shared/light-element.js';
import { copyAndSay, downloadText } from '../shared/clipboard.js';
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
    return codeView({
      source: this.highlight ? this.highlight(this.source) : this.source,
      text: this.source,
      filename: this.filename,
      said: this.said,
      copy: () =>
        copyAndSay(this.source, (said) => {
          this.said = said;
        }),
      download: () => downloadText(this.filename, this.source, 'text/x-python')
    });
  }
}

define('attnscope-code', CodePanel);
