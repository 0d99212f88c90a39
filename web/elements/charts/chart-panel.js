import { html, nothing } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { LightElement, define } from '../shared/light-element.js';
import { segments } from '../form/form.js';
import { comparison } from '../../plain/alternatives.js';
import { metrics } from '../../plain/metrics.js';
import { alternativesTable, growthTable } from './tables.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../../plain/metrics.js').Metric} Metric
 * @typedef {typeof import('./draw.js')} Draw
 */

/**
 * This layer against its alternatives, and its growth along each size. `.store`, `.estimate` (redraws when it changes).
 */
export class ChartPanel extends LightElement {
  static properties = {
    store: {},
    estimate: {},
    metric: { state: true },
    draw: { state: true },
    width: { state: true },
    near: { state: true }
  };

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
    this.near = false;
  }

  connectedCallback() {
    super.connectedCallback();
    this.observer = new IntersectionObserver(
      (entries) => {
        this.near = entries[entries.length - 1].isIntersecting;
        if (this.near && !this.draw) this.#load();
      },
      { rootMargin: '100px' } // drawing is most of what a page transfers: not before it is nearly seen
    );
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
    this.draw = await import('./draw.js');
  }

  /** After the answer has been painted: a hundred estimates take longer than a keystroke may. */
  async scheduleUpdate() {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    await super.scheduleUpdate();
  }

  /** Not while it is far from the screen. */
  shouldUpdate() {
    return this.near || !this.hasUpdated;
  }

  render() {
    if (!this.store || !this.estimate) return nothing;
    const trains = this.metric.read(this.estimate) !== null;
    const { rows, series } = comparison(this.store, { grows: trains });
    const choices = metrics.map(({ key, title }) => ({ value: key, text: title }));
    const pick = (/** @type {string} */ key) => {
      this.metric = metrics.find((metric) => metric.key === key) ?? this.metric;
    };
    return html`
      <div class="panel-head">
        <h2 id="compare-title" class="panel-title">Compare and grow</h2>
        <fieldset class="inline"><legend class="hidden">Show</legend>${segments('metric', choices, this.metric.key, pick)}</fieldset>
      </div>
      ${
        trains
          ? this.#charts(rows, series)
          : html`<p class="note">${this.estimate.config.dtype} is a format for inference, so there is nothing to
            train.</p>`
      }
      ${alternativesTable(rows, false)}`;
  }

  /**
   * @param {import('../../plain/alternatives.js').Alternative[]} rows
   * @param {import('../../plain/alternatives.js').Growth[]} grown
   */
  #charts(rows, grown) {
    const series = grown.filter(({ points }) => points.some(({ estimate }) => this.metric.read(estimate)));
    const columns = columnsOf(series.length, this.width);
    const each = Math.floor((this.width - (columns - 1) * GAP) / columns);
    return html`
      <figure class="chart" data-chart="alternatives">
        <figcaption>${this.metric.title} of this layer and of what could stand in its place, all other fields
          equal</figcaption>
        <div class="plot tall" role="img" aria-label=${`${this.metric.title}, this layer against alternatives; the figures are in the table below`}>
          ${this.#drawn((draw) => draw.drawAlternatives(rows, this.metric, this.width))}</div>
      </figure>
      ${series.length ? nothing : html`<p class="note">${this.metric.title}: 0 at every size.</p>`}
      <div class="growth" ${ref((grid) => grid && setColumns(grid, columns))}>
        ${series.map(
          (one) => html`
          <figure class="chart" data-chart=${one.field}>
            <figcaption>${this.metric.title} by <code>${one.field}</code></figcaption>
            <div class="plot" role="img" aria-label=${`${this.metric.title} by ${one.field}; the figures are in the table below`}>
              ${this.#drawn((draw) => draw.drawGrowth(one, this.metric, each))}</div>
            ${growthTable(one)}
          </figure>`
        )}
      </div>`;
  }

  /** @param {(draw: Draw) => Element} make */
  #drawn(make) {
    return this.draw && this.width ? make(this.draw) : nothing;
  }
}

const GAP = 32;
const NARROWEST = 250;

/**
 * Into how many columns some charts go: as many as leave each its room, and no row shorter than another.
 * @param {number} count
 * @param {number} width
 */
export function columnsOf(count, width) {
  const room = Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)));
  const even = Array.from({ length: count }, (_, index) => index + 1).filter(
    (columns) => count % columns === 0 && columns <= room
  );
  return even.at(-1) ?? 1;
}

/**
 * By script: a page with a strict Content-Security-Policy refuses a style attribute.
 * @param {Element} grid
 * @param {number} columns
 */
function setColumns(grid, columns) {
  const { style } = /** @type {HTMLElement} */ (grid);
  style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
  style.columnGap = `${GAP}px`;
}

define('attnscope-charts', ChartPanel);
