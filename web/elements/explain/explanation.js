import { html, nothing } from 'lit';
import { linesOf, summaryOf } from '../../plain/explained.js';
import { LightElement, define } from '../shared/light-element.js';
import { keysView, productsTable, valueTable } from './tables.js';

/**
 * @typedef {import('../../lib/index.js').Explanation} Answer
 * @typedef {import('../../lib/index.js').ExplainOptions} At
 * @typedef {(at: At) => Answer | null | Promise<Answer | null>} Explain null: not now
 */

/**
 * How one attention weight is made, line by line. `.explain` answers for a cell, `.at` is the cell, `.place` names it,
 * `pinned` says whether it stays. Sends `pin` when the button for that is pressed. Of cells that are asked for while
 * one is being answered only the last one is: the numbers follow a pointer, and none waits for those that it has left.
 */
export class ExplanationElement extends LightElement {
  static properties = {
    explain: {},
    at: {},
    place: {},
    words: {},
    pinned: { type: Boolean },
    answered: { state: true },
    failure: { state: true },
    open: { state: true }
  };

  /** What is asked for next. @type {{ explain: Explain, at: At, place: string } | null} */
  #next = null;
  #isAsking = false;
  #asked = '';

  constructor() {
    super();
    /** @type {Explain | null} */
    this.explain = null;
    /** @type {At | null} */
    this.at = null;
    this.place = '';
    /** Of the keys. @type {readonly string[] | null} */
    this.words = null;
    this.pinned = false;
    /** @type {{ answer: Answer, asked: string, explain: Explain, place: string } | null} */
    this.answered = null;
    this.failure = '';
    /** Which of the long lists are open. @type {Record<string, boolean>} */
    this.open = {};
  }

  /** @param {Map<string, unknown>} changed */
  willUpdate(changed) {
    const { explain, at, place } = this;
    const asked = JSON.stringify(at);
    if (!changed.has('explain') && asked === this.#asked) return;
    this.#asked = asked;
    this.#next = explain && at ? { explain, at, place } : null;
    if (!this.#isAsking) this.#ask();
  }

  async #ask() {
    this.#isAsking = true;
    for (let next = this.#next; next; next = this.#next) {
      this.#next = null;
      try {
        const answer = await next.explain(next.at);
        if (answer && this.explain === next.explain)
          Object.assign(this, { answered: { ...next, answer, asked: JSON.stringify(next.at) }, failure: '' });
      } catch (error) {
        if (this.explain === next.explain) this.failure = /** @type {Error} */ (error).message;
      }
    }
    this.#isAsking = false;
  }

  render() {
    const why = this.failure && `This cell cannot be explained: ${this.failure}.`;
    if (!this.answered && why) return html`<p class="note explain-failure">${why}</p>`;
    if (!this.answered) return html`<p class="note explain-wait">Point at a cell to see the numbers that make it.</p>`;
    const { answer, asked, explain } = this.answered;
    const isOld = explain !== this.explain || why !== '';
    const place = asked === this.#asked ? this.place : this.answered.place; // words may have come after the answer
    return html`
      <div class=${isOld ? 'explain stale' : 'explain'} role="group" aria-label="How this weight is made" data-cell=${place}>
        <div class="explain-head">
          <p class="explain-place">${why ? html`<span>${why}</span>` : html`<b>${place}</b> <span>${ofWhat(answer)}</span>`}</p>
          <button class="button small" type="button" data-action="pin" aria-pressed=${this.pinned}
            @click=${() => this.dispatchEvent(new CustomEvent('pin'))}>${this.pinned ? 'Unpin' : 'Pin'}</button>
        </div>
        <p class="hidden" role="status">${this.pinned ? `Pinned. ${summaryOf(answer, place)}` : ''}</p>
        <div class="explain-body">
          ${hasProducts(answer) ? html`<div>${productsTable(answer, false)}</div>` : nothing}
          <ol class="explain-lines">${linesOf(answer).map(lineView)}</ol>
        </div>
        <div class="explain-body">
        ${answer.value ? valueTable(answer.value, answer.weight, false) : nothing}
        <div class="explain-more">
          ${hasProducts(answer) ? this.#list('products', 'Every product, and where its factors come from', () => productsTable(answer, true)) : nothing}
          ${this.#list('keys', 'Every key of this row', () => keysView(answer, this.words))}
          ${answer.value ? this.#list('value', 'The whole value', () => valueTable(/** @type {any} */ (answer.value), answer.weight, true)) : nothing}
        </div></div>
      </div>`;
  }

  /**
   * A long list, which is made when it is opened.
   * @param {string} name @param {string} title @param {() => unknown} make
   */
  #list(name, title, make) {
    const toggle = (/** @type {any} */ { target }) => {
      if (target.open !== Boolean(this.open[name])) this.open = { ...this.open, [name]: target.open };
    };
    return html`<details class="twin" data-list=${name} @toggle=${toggle}><summary>${title}</summary>${this.open[name] ? make() : nothing}</details>`;
  }
}

/** @param {import('../../plain/explained.js').Line} line */
const lineView = ({ name, label, formula, value, why }) =>
  html`<li data-line=${name}><span class="explain-label">${label}</span> <code>${formula}</code> <b>${value}</b>${why ? html`<p class="explain-why">${why}</p>` : nothing}</li>`;

/** Not of a score by the position alone. @param {Answer} answer */
const hasProducts = ({ products }) => products.length > 0;

/** Which attention it is of, as far as there are several. @param {Answer} answer */
function ofWhat({ head, layer, batch, query, averaged }) {
  const parts = [
    layer === null ? '' : `layer ${layer}`,
    head === null ? '' : `head ${head}${averaged ? ` of ${averaged.weights.length}` : ''}`,
    batch === 0 || query === null ? '' : `batch ${batch}`
  ];
  return parts.filter(Boolean).join(', ');
}

define('attnscope-explanation', ExplanationElement);
