import { html, nothing } from 'lit';
import { LightElement, define } from '../shared/light-element.js';
import { pageScope } from '../shared/scope.js';
import { demos } from './demos.js';
import { mistakesView } from './view.js';

/** The five mistakes with new numbers on request; its static content, executed at build, stays until then. */
export class Mistakes extends LightElement {
  static properties = { demos: { state: true } };

  constructor() {
    super();
    /** @type {import('./demos.js').Demo[]} */
    this.demos = [];
    this.seed = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    if (!this.scope) this.#first();
  }

  async #first() {
    this.scope = await pageScope();
    this.replaceChildren();
    this.#draw();
  }

  #draw() {
    if (this.scope) this.demos = demos(this.scope, this.seed);
    this.seed += 1;
  }

  shouldUpdate() {
    return this.demos.length > 0;
  }

  render() {
    if (!this.demos.length) return nothing;
    return html`
      ${mistakesView(this.demos)}
      <p class="actions"><button class="button" type="button" @click=${() => this.#draw()}>Execute with other numbers</button>
        <span class="note">seed ${this.seed - 1}</span></p>`;
  }
}

define('attnscope-mistakes', Mistakes);
