// The norm of each parameter's gradient at some moment, as bars on a logarithmic scale.

import { html, nothing, svg } from 'lit';
import { formatCount, formatSignificant } from '../../plain/format.js';

/** So many powers of ten, from that of all together down; what is below has no bar. */
const DECADES = 4;

/** @param {import('./shown.js').Shown | null} shown */
export function gradientsView(shown) {
  const { step = 0, gradients = {}, gradient_norm: norm = null } = shown?.moment ?? {};
  const total = norm ?? 0;
  const rows = Object.entries(gradients);
  const scale = rows.length ? scaleOf(total) : null;
  return html`
    <div class="panel-head"><h2 id="gradients-title" class="panel-title">Gradients<span class="panel-note">${scale ? html`the norm of each, in step ${formatCount(step)}; bars from 10${power(scale.low)} to 10${power(scale.high)}, on a logarithmic scale` : 'the norm of each'}</span></h2></div>
    ${
      scale
        ? html`<div class="scroller train-gradients" tabindex="0" role="group" aria-label="Gradients by parameter"><table class="table">
      <thead><tr><th scope="colgroup" colspan="2">Parameter</th><th scope="col" class="num">Norm</th></tr></thead>
      <tbody>${[['all together', total], ...rows].map(([name, norm], at) => rowView(String(name), Number(norm), scale, at === 0))}</tbody></table></div>`
        : html`<p class="note">${shown?.points.length ? 'Before the first step there are none.' : 'How far each parameter is pulled appears here with the first step.'}</p>`
    }`;
}

/** @param {number} exponent */
const power = (exponent) => html`<sup>${exponent < 0 ? `−${-exponent}` : exponent}</sup>`;

/** The powers of ten between which bars are drawn. @param {number} total */
function scaleOf(total) {
  const high = total > 0 ? Math.ceil(Math.log10(total)) : 0;
  return { low: high - DECADES, high };
}

/** @param {string} name @param {number} norm @param {{ low: number }} scale @param {boolean} isTotal */
function rowView(name, norm, { low }, isTotal) {
  const share = norm > 0 ? Math.max(0, (Math.log10(norm) - low) / DECADES) : 0;
  return html`
    <tr data-gradient=${isTotal ? '' : name} class=${isTotal ? 'total' : nothing}><th scope="row">${isTotal ? name : html`<code>${name}</code>`}</th>
      <td class="train-norm"><svg class="bar" aria-hidden="true">${svg`<rect width=${`${(100 * share).toFixed(1)}%`} height="100%"></rect>`}</svg></td>
      <td class="num">${formatSignificant(norm)}</td></tr>`;
}
