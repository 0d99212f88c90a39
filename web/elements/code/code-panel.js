import { html } from 'lit';
import { LightElement, define } from '../light-element.js';
import { copyText, downloadText } from '../clipboard.js';

/**
 * @param {{ source: unknown, text: string, filename: string, said?: string, copy?: () => void, download?: () => void }} panel
 */
export const codeView = ({ source, text, filename, said = '', copy, download }) => html`
  <div class="panel-head">
    <h2 id="pytorch-title" class="panel-title">PyTorch <span class="panel-note">${text.split('\n').length - 1} lines; run by itself it checks these figures and prints OK</span></h2>
    <div class="actions">
      <span class="said" role="status">${said}</span>
      <button class="button" type="button" @click=${copy}>Copy PyTorch</button>
      <button class="button" type="button" @click=${download}>Download ${filename}</button>
    </div>
  </div>
  <pre class="code" tabindex="0" role="region" aria-labelledby="pytorch-title"><code>${source}</code></pre>`;

/** `source`: the PyTorch text. Colours arrive when the panel comes near the screen. */
export class CodePanel extends LightElement {
  static properties = { source: {}, filename: {}, highlight: { state: true }, said: { state: true } };

  constructor() {
    super();
    this.source = '';
    this.filename = 'scorer.py';
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
