import { html, nothing } from 'lit';
import { LightElement, define } from '../light-element.js';
import { fieldLabel } from '../state/fields.js';
import { formatCount } from '../format.js';
import { segments } from '../views/form.js';
import { alternatives, growth } from './alternatives.js';
import { metrics, metricText } from './metrics.js';

/**
 * @typedef {import('../state/store.js').Store} Store
 * @typedef {import('./metrics.js').Metric} Metric
 * @typedef {typeof import('./draw.js')} Draw
 */

/** @param {Store} store */
export const chartsStaticView = (store) => html`
  <div class="panel-head"><h2 id="compare-title" class="panel-title">Compare and grow</h2></div>
  ${alternativesTable(alternatives(store), true)}`;

/** @param {import('./alternatives.js').Alternative[]} rows @param {boolean} open */
const alternativesTable = (rows, open) => html`
  <details class="twin" ?open=${open}><summary>Alternatives as a table</summary>
    <div class="scroller" tabindex="0" role="region" aria-label="Alternatives as a table">
      <table class="table"><thead><tr><th scope="col">Layer</th>${metrics.map(({ title }) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead>
        <tbody>${rows.map(({ label, estimate, current }) => html`<tr class=${current ? 'fits' : ''}><th scope="row">${label}${current ? ' (this one)' : ''}</th>
          ${metrics.map((metric) => html`<td class="num">${metricText(metric, estimate)}</td>`)}</tr>`)}</tbody></table>
    </div></details>`;

/** @param {import('./alternatives.js').Growth} series */
const growthTable = ({ field, points }) => html`
  <details class="twin"><summary>${fieldLabel(field)} as a table</summary>
    <div class="scroller" tabindex="0" role="region" aria-label=${`${fieldLabel(field)} as a table`}>
      <table class="table"><thead><tr><th scope="col"><code>${field}</code></th>${metrics.map(({ title }) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead>
        <tbody>${points.map(({ value, estimate, current }) => html`<tr class=${current ? 'fits' : ''}><th scope="row">${formatCount(value)}</th>
          ${metrics.map((metric) => html`<td class="num">${metricText(metric, estimate)}</td>`)}</tr>`)}</tbody></table>
    </div></details>`;

/** This layer against its alternatives, and its growth along each size. `.store`, `.estimate` (redraws when it changes). */
export class ChartPanel extends LightElement {
  static properties = { store: {}, estimate: {}, metric: { state: true }, draw: { state: true }, width: { state: true } };

  constructor() {
    super();
    /** @type {Store | null} */
    this.store = null;
    /** @type {any} */
    this.estimate = null;
    this.metric = metrics[0];
    /** @type {Draw | null} */
    this.draw = null;
    this.width = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) this.#load();
    }, { rootMargin: '800px' });
    this.observer.observe(this);
    this.resize = new ResizeObserver(([{ contentRect }]) => {
      this.width = Math.floor(contentRect.width);
    });
    this.resize.observe(this);
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer?.disconnect();
    this.resize?.disconnect();
  }

  async #load() {
    this.observer?.disconnect();
    this.draw = await import('./draw.js');
  }

  render() {
    if (!this.store || !this.estimate) return nothing;
    const rows = alternatives(this.store);
    const choices = metrics.map(({ key, title }) => ({ value: key, text: title }));
    const pick = (/** @type {string} */ key) => {
      this.metric = metrics.find((metric) => metric.key === key) ?? this.metric;
    };
    return html`
      <div class="panel-head">
        <h2 id="compare-title" class="panel-title">Compare and grow</h2>
        <fieldset class="inline"><legend class="hidden">Show</legend>${segments('metric', choices, this.metric.key, pick)}</fieldset>
      </div>
      ${this.metric.read(this.estimate) === null
        ? html`<p class="note">${this.estimate.config.dtype} is a format for inference, so there is nothing to train.</p>` : this.#charts(rows)}
      ${alternativesTable(rows, false)}`;
  }

  /** @param {import('./alternatives.js').Alternative[]} rows */
  #charts(rows) {
    const series = this.store ? growth(this.store) : [];
    const columns = this.width >= 720 ? 2 : 1;
    const each = Math.floor((this.width - (columns - 1) * 32) / columns);
    return html`
      <figure class="chart" data-chart="alternatives">
        <figcaption>${this.metric.title} of this layer and of what could stand in its place, all other fields equal</figcaption>
        <div class="plot tall" role="img" aria-label=${`${this.metric.title}, this layer against alternatives; the figures are in the table below`}>
          ${this.#drawn((draw) => draw.drawAlternatives(rows, this.metric, this.width))}</div>
      </figure>
      <div class="growth">
        ${series.map((one) => html`
          <figure class="chart" data-chart=${one.field}>
            <figcaption>${this.metric.title} by <code>${one.field}</code></figcaption>
            <div class="plot" role="img" aria-label=${`${this.metric.title} by ${one.field}; the figures are in the table below`}>
              ${this.#drawn((draw) => draw.drawGrowth(one, this.metric, each))}</div>
            ${growthTable(one)}
          </figure>`)}
      </div>`;
  }

  /** @param {(draw: Draw) => Element} make */
  #drawn(make) {
    return this.draw && this.width ? make(this.draw) : nothing;
  }
}

define('attnscope-charts', ChartPanel);
