// The step table: what each line of the layer makes and costs.

import { html, nothing } from 'lit';
import { bytesPerElement, formatBytes, formatCount, formatList } from '../format.js';
import { repeatOf, repeatText } from '../repeats.js';

/** @param {any} estimate */
export function stepsView(estimate) {
  const { steps, memory } = estimate;
  const element = bytesPerElement(estimate.config);
  return html`
    <section class="panel" id="steps" aria-labelledby="steps-title">
      <h2 id="steps-title" class="panel-title">Step by step</h2>
      <div class="scroller" tabindex="0" role="group" aria-labelledby="steps-title">
        <table class="table steps">
          <thead><tr>
            <th scope="col">Step, in PyTorch</th><th scope="col">Shape</th>
            <th scope="col" class="num">Parameters</th><th scope="col" class="num">MACs</th>
            <th scope="col" class="num"><abbr title="Arithmetic outside matrix products: bias, tanh, softmax">Other ops</abbr></th>
            <th scope="col" class="num">Output</th><th scope="col" class="num"><abbr title="Kept for the backward pass by this step first">Saved</abbr></th>
          </tr></thead>
          <tbody>${steps.map((/** @type {any} */ step) => stepRow(step, element, memory.saved_for_backward === null))}</tbody>
          <tfoot><tr>
            <th scope="row" colspan="2">Total</th>
            <td class="num">${formatCount(estimate.parameters)}</td><td class="num">${formatCount(estimate.macs)}</td>
            <td class="num">${formatCount(estimate.elementwise)}</td>
            <td class="num">${formatBytes(estimate.memory.output)}</td>
            <td class="num">${memory.saved_for_backward === null ? '–' : formatBytes(memory.saved_for_backward)}</td>
          </tr></tfoot>
        </table>
      </div>
    </section>`;
}

/** @param {any} step @param {number} element @param {boolean} inferenceOnly */
function stepRow(step, element, inferenceOnly) {
  const bytes = step.shape.reduce((/** @type {number} */ product, /** @type {number} */ length) => product * length, element);
  const repeat = repeatOf(step);
  return html`
    <tr class=${repeat > 1 ? 'repeated' : ''}>
      <th scope="row">${step.name}${repeat > 1 ? html`<b class="repeat">${repeatText(step)}</b>` : nothing}<code>${step.output} = ${step.pytorch}</code></th>
      <td class="shape"><code>${formatList(step.shape)}</code></td>
      ${count(step.parameters, repeat)}${count(step.macs, repeat)}${count(step.elementwise, repeat)}
      <td class="num">${formatBytes(bytes)}</td>
      <td class="num">${step.saved_bytes && !inferenceOnly ? formatBytes(step.saved_bytes) : '–'}</td>
    </tr>`;
}

/** Of every repetition, and below it of one. @param {number} value @param {number} repeat */
const count = (value, repeat) => html`<td class="num">${value ? formatCount(value * repeat) : '–'}${
  value && repeat > 1 ? html`<small>${repeat} × ${formatCount(value)}</small>` : nothing}</td>`;
