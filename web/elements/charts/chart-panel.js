import { html, nothing } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { repeat } from 'lit/directives/repeat.js';
import { LightElement, define } from '../shared/light-element.js';
import { segments } from '../form/form.js';
import { pinButton } from '../pin/view.js';
import { comparison, growing, ranked } from '../../plain/comparison.js';
import { formatCount } from '../../plain/format.js';
import { metrics } from '../../plain/metrics.js';
import { pinCard } from './pin-card.js';
import { ownOf, rowsNamed } from './own.js';
import { CURVE_HEIGHT, dotHeight } from './sizes.js';
import { alternativesTable, growthTable } from './tables.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../../plain/fields.js').Values} Values
 * @typedef {import('../../plain/metrics.js').Metric} Metric
 * @typedef {import('../../plain/comparison.js').Growth} Growth
 * @typedef {import('../../plain/comparison.js').Ranked} Ranked
 * @typedef {typeof import('./draw.js')} Draw
 * @typedef {ReturnType<typeof ownOf>} Own
 */

/**
 * This layer beside its alternatives and what is pinned, and its growth along each size. `.store`, `.estimate` (redraws
 * when it changes).
 */
export class ChartPanel extends LightElement {
  static properties = {
    store: {},
    estimate: {},
    metric: { state: true },
    draw: { state: true },
    width: { state: true },
    near: { state: true },
    pinned: { state: true }
  };

  /** The button that the next drawing gives the focus to, as a CSS selector. */
  #heir = '';

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
    /** @type {Values | null} */
    this.pinned = null;
    /** The store sends every edit; those of the configuration come as another estimate. */
    this.readPin = () => {
      this.pinned = this.store?.pinned ?? null;
    };
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
    this.store?.addEventListener('change', this.readPin);
    this.readPin();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.observer?.disconnect();
    this.resize?.disconnect();
    this.store?.removeEventListener('change', this.readPin);
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

  /** @param {Map<string, any>} changed */
  willUpdate(changed) {
    if (!changed.has('store')) return;
    changed.get('store')?.removeEventListener('change', this.readPin);
    this.store?.addEventListener('change', this.readPin);
    this.readPin();
  }

  updated() {
    if (!this.#heir) return;
    const button = /** @type {HTMLElement | null} */ (this.querySelector(this.#heir));
    this.#heir = '';
    button?.focus({ preventScroll: true });
  }

  render() {
    const { store, estimate, metric } = this;
    if (!store || !estimate) return nothing;
    const trains = metric.read(estimate) !== null;
    const compared = comparison(store, { grows: trains });
    const own = ownOf(store);
    const rows = rowsNamed(ranked(compared.rows, metric), store);
    const choices = metrics.map(({ key, title }) => ({ value: key, text: title }));
    const pick = (/** @type {string} */ key) => {
      this.metric = metrics.find((known) => known.key === key) ?? this.metric;
    };
    return html`
      <div class="panel-head">
        <h2 id="compare-title" class="panel-title">Compare and grow</h2>
        ${pinButton(store)}
        <fieldset class="inline"><legend class="hidden">Show</legend>${segments('metric', choices, metric.key, pick)}</fieldset>
      </div>
      ${pinCard(store)}
      ${
        trains
          ? html`${this.#dots(rows, own)}${this.#curves(compared.series, own)}`
          : html`<p class="note">${estimate.config.dtype} is a format for inference, so there is nothing to
            train.</p>`
      }
      ${alternativesTable(rows, own, (values) => this.#choose(values, '.alternatives'), false)}`;
  }

  /**
   * Fills the form from a table. Its rows may then be others, or in another order: the focus goes with the one that was
   * chosen.
   * @param {Values} values
   * @param {string} table a CSS selector
   */
  #choose(values, table) {
    const before = this.store?.estimate;
    this.store?.set(values);
    if (this.store?.estimate !== before) this.#heir = `${table} .fits button`;
  }

  /** @param {Ranked[]} rows @param {Own} own */
  #dots(rows, own) {
    const { title } = this.metric;
    const times = rows.some(({ pinned }) => pinned) ? 'ratio to pinned' : `ratio to ${own.text}`;
    const choose = (/** @type {Ranked} */ { config }) => this.store?.set(config);
    return html`
      <figure class="chart" data-chart="alternatives">
        <figcaption>${title} of ${own.text} and its alternatives, all other fields equal. Choose a row to fill the form
          with it.</figcaption>
        <div class="plot dots" role="img" aria-label=${`${title}, ${own.text} against alternatives; the figures are in the table below`}
          ${ref((plot) => plot && setHeight(plot, dotHeight(rows.length, this.width)))}>
          ${this.#drawn((draw) => draw.drawAlternatives(rows, this.metric, { width: this.width, times, kind: own.kind, choose }))}</div>
      </figure>`;
  }

  /** @param {Growth[]} series @param {Own} own */
  #curves(series, own) {
    const { metric } = this;
    const { grown, constant } = growing(series, metric);
    const { columns, wideFirst } = gridOf(grown.length, this.width);
    const each = Math.floor((this.width - (columns - 1) * GAP) / columns);
    return html`
      <div class="growth" ${ref((grid) => grid && setColumns(grid, columns))}>
        ${repeat(
          grown,
          ({ field }) => field,
          (one, index) => html`
          <figure class=${wideFirst && !index ? 'chart wide' : 'chart'} data-chart=${one.field}>
            <figcaption><span>${metric.title} by <code>${one.field}</code></span>${this.#nowText(one)}</figcaption>
            <div class="plot curves" role="img" aria-label=${`${metric.title} by ${one.field}; the figures are in the table below`}
              ${ref((plot) => plot && setHeight(plot, CURVE_HEIGHT))}>
              ${this.#drawn((draw) => draw.drawGrowth(one, metric, wideFirst && !index ? this.width : each, own.label))}</div>
            ${growthTable(one, metric, own, (values) => this.#choose(values, `[data-chart="${one.field}"]`))}
          </figure>`
        )}
      </div>
      ${constantNote(constant, metric, this.estimate)}${zeroNote(grown, metric)}`;
  }

  /** @param {Growth} series */
  #nowText({ points }) {
    const now = points.find(({ current }) => current);
    return now
      ? html`<span class="chart-now">${this.metric.short(Number(this.metric.read(now.estimate)))} at ${formatCount(now.value)}</span>`
      : nothing;
  }

  /** @param {(draw: Draw) => Element} make */
  #drawn(make) {
    return this.draw && this.width ? make(this.draw) : nothing;
  }
}

/**
 * What does not grow with a size is said, not drawn.
 * @param {string[]} fields
 * @param {Metric} metric
 * @param {any} estimate
 */
const constantNote = (fields, metric, estimate) =>
  fields.length
    ? html`<p class="note" data-constant>${metric.title}: ${metric.exact(Number(metric.read(estimate)))} at every ${joined(fields.map((field) => html`<code>${field}</code>`))}.</p>`
    : nothing;

/** Curves that a log scale has no place for. @param {Growth[]} series @param {Metric} metric */
function zeroNote(series, metric) {
  const isZero = (/** @type {Growth['lines'][number]} */ { points }) =>
    points.length > 0 && points.every(({ estimate }) => metric.read(estimate) === 0);
  const labels = [...new Set(series.flatMap(({ lines }) => lines.filter(isZero).map(({ label }) => label)))];
  return labels.length
    ? html`<p class="note">${metric.title} of ${joined(labels)}: 0, for which a log scale has no place.</p>`
    : nothing;
}

/** `a`, `a and b`, `a, b and c`. @param {unknown[]} parts */
const joined = (parts) =>
  parts.map((part, index) => html`${index ? (index === parts.length - 1 ? ' and ' : ', ') : ''}${part}`);

const GAP = 32;
const NARROWEST = 320;

/**
 * Into how many columns some charts go: all beside each other where each has room, otherwise two; of an odd number the
 * first then has a row of its own.
 * @param {number} count
 * @param {number} width
 */
export function gridOf(count, width) {
  const room = Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)));
  const columns = count <= room ? Math.max(1, count) : Math.min(2, room);
  return { columns, wideFirst: columns === 2 && count % 2 === 1 };
}

/**
 * What is drawn later has its room before. By script, as for the columns.
 * @param {Element} plot
 * @param {number} height
 */
function setHeight(plot, height) {
  /** @type {HTMLElement} */ (plot).style.minHeight = `${height}px`;
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
