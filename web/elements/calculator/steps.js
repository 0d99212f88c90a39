// The step table: what each line of the layer makes and costs. Every total is the sum of its column.

import { html, nothing } from 'lit';
import { outputsOf } from '../../plain/outputs.js';
import { formatBytes, formatCount, formatList } from '../../plain/format.js';
import { placesOf, repeatOf, repeatText } from '../../plain/repeats.js';

/** @typedef {((tensor: string) => string) | null} See where a link to the values of a tensor leads */

/** @param {any} estimate @param {See} [see] */
export function stepsView(estimate, see = null) {
  const { steps, memory, bytes_per_element: element } = estimate;
  const owners = sharedWith(estimate);
  const unread =
    estimate.parameters -
    steps.reduce(
      (/** @type {number} */ sum, /** @type {any} */ step) =>
        sum + (owners.has(step) ? 0 : step.parameters * placesOf(step)),
      0
    );
  return html`
    <section class="panel" part="panel" id="steps" aria-labelledby="steps-title">
      <h2 id="steps-title" class="panel-title">Step by step</h2>
      <div class="scroller" tabindex="0" role="group" aria-labelledby="steps-title">
        <table class="table steps">
          <thead><tr>
            <th scope="col">Step, in PyTorch</th><th scope="col">Shape</th>
            <th scope="col" class="num">Parameters</th><th scope="col" class="num">MACs</th>
            <th scope="col" class="num"><abbr title="Arithmetic outside matrix products: bias, tanh, softmax">Other ops</abbr></th>
            <th scope="col" class="num">Output</th><th scope="col" class="num"><abbr title="Kept for the backward pass by this step first">Saved</abbr></th>
          </tr></thead>
          <tbody>${steps.map((/** @type {any} */ step, /** @type {number} */ i) => [
            step.within && step.within !== steps[i - 1]?.within
              ? html`<tr class="call-name"><th scope="colgroup" colspan="7">${step.within}, one call of PyTorch</th></tr>`
              : nothing,
            stepRow(step, element, memory.saved_for_backward === null, owners.get(step), see)
          ])}
            ${unread ? html`<tr><th scope="row">Rows of embeddings that no step reads</th><td></td><td class="num">${formatCount(unread)}</td><td class="num">–</td><td class="num">–</td><td class="num">–</td><td class="num">–</td></tr>` : nothing}</tbody>
          <tfoot><tr>
            <th scope="row" colspan="2">Total</th>
            <td class="num">${formatCount(estimate.parameters)}</td><td class="num">${formatCount(estimate.macs)}</td>
            <td class="num">${formatCount(estimate.elementwise)}</td>
            <td class="num">–</td>
            <td class="num">${memory.saved_for_backward === null ? '–' : formatBytes(memory.saved_for_backward)}</td>
          </tr></tfoot>
        </table>
      </div>
    </section>`;
}

/**
 * Steps whose parameters a step before has too, as a tied head has those of the embedding, with its name.
 * @param {any} estimate
 * @returns {Map<any, string>}
 */
function sharedWith({ steps, inputs }) {
  const made = new Set([
    ...inputs.map((/** @type {any} */ { name }) => name),
    ...steps.flatMap(outputsOf).map((/** @type {any} */ { name }) => name)
  ]);
  /** @type {Map<string, string>} */
  const first = new Map();
  return new Map(
    steps.flatMap((/** @type {any} */ step) => {
      const parameters = step.inputs.filter((/** @type {string} */ name) => !made.has(name));
      const owner = first.get(parameters[0]);
      for (const name of parameters) first.set(name, step.name);
      return owner ? [[step, owner]] : [];
    })
  );
}

/**
 * @param {any} step
 * @param {number} element
 * @param {boolean} inferenceOnly
 * @param {string | undefined} owner the step that has its parameters
 * @param {See} see
 */
function stepRow(step, element, inferenceOnly, owner, see) {
  const outputs = outputsOf(step);
  const bytes = outputs
    .map(({ shape }) => shape.reduce((product, length) => product * length, element))
    .reduce((sum, one) => sum + one);
  const names = outputs.map(({ name }) => name).join(', ');
  const repeat = repeatOf(step);
  return html`
    <tr class="${repeat > 1 ? 'repeated' : ''} ${step.within ? 'call' : ''}">
      <th scope="row">${seen(step.output, step.name, see)}${repeat > 1 ? html`<b class="repeat">${repeatText(step)}</b>` : nothing}<code>${names} = ${step.pytorch}</code></th>
      <td class="shape">${outputs.map(({ shape, axes }) => html`<code>${formatList(shape)}</code><small>${axesText(axes)}</small>`)}</td>
      ${owner ? html`<td class="num">–<small>those of ${owner}</small></td>` : count(step.parameters, placesOf(step))}${count(step.macs, repeat)}${count(step.elementwise, repeat)}
      <td class="num">${formatBytes(bytes)}</td>
      <td class="num">${step.saved_bytes && !inferenceOnly ? formatBytes(step.saved_bytes) : '–'}</td>
    </tr>`;
}

/**
 * A text that leads to a tensor's values, where there is a way.
 * @param {string} tensor @param {unknown} text @param {See} see
 */
export const seen = (tensor, text, see) =>
  see ? html`<a class="see" href=${see(tensor)} title="See its values">${text}</a>` : text;

/** What each dimension goes over; a dash for one that has no name. @param {readonly string[]} axes */
const axesText = (axes) => axes.map((axis) => axis.replace('_', ' ') || '–').join(', ');

/** Of every repetition, and below it of one. @param {number} value @param {number} repeat */
const count = (value, repeat) =>
  html`<td class="num">${value ? formatCount(value * repeat) : '–'}${
    value && repeat > 1 ? html`<small>${repeat} × ${formatCount(value)}</small>` : nothing
  }</td>`;
