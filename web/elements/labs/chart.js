import { html, nothing } from 'lit';
import { LightElement, define } from '../shared/light-element.js';
import { chartTable } from './chart-table.js';

/** Some lines of a lab. `.chart`. What draws is loaded when it is nearly seen. */
export class LabChart extends LightElement {
  static properties = { chart: {}, draw: { state: true }, width: { state: true } };

  constructor() {
    super();
    /** @type {import('./chart-table.js').Chart | null} */
    this.chart = null;
    /** @type {typeof import('./draw.js').drawLines | null} */
    this.draw = null;
    this.width = 0;
  }

  connectedCallback() {
    super.connectedCallback();
    this.resize = new ResizeObserver(([{ contentRect }]) => {
      this.width = Math.floor(contentRect.width);
    });
    this.resize.observe(this);
    this.#load();
  }

  disconnectedCallback() {
    super.disconnectedCallback();
    this.resize?.disconnect();
  }

  async #load() {
    this.draw ??= (await import('./draw.js')).drawLines;
  }

  render() {
    const { chart, draw, width } = this;
    if (!chart) return nothing;
    return html`<figure class="chart" data-chart=${chart.name}>
      <figcaption>${chart.title}</figcaption>
      <div class="plot" role="img" aria-label=${`${chart.title}; the figures are in the table below`}>${draw && width ? draw(chart, width) : nothing}</div>
      ${chartTable(chart, false)}
    </figure>`;
  }
}

define('attnscope-lab-chart', LabChart);
