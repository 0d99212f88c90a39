import { html, nothing } from 'lit';
import { JOBS, compute, layer, notice, settings } from '../../plain/labs/one-head-or-eight.js';
import { formatCount, formatShape, formatSignificant } from '../../plain/format.js';
import { factsView, heatMap, cornerOf } from './pictures.js';

/** @typedef {ReturnType<typeof compute>} Data */

/** @param {Data} data @param {import('./labs.js').Stage} stage */
function figure(data, stage) {
  const { weights, words, parameters, macs, kind, explain } = data;
  const map = { tensor: weights, name: 'weights', axes: ['head', 'query', 'key'], weights: true, words, explain };
  return html`
    ${heatMap(map, stage)}
    ${kind === 'set' ? jobsView(data) : nothing}
    ${factsView([
      { name: 'Parameters', value: formatCount(parameters), note: 'of any number of heads' },
      { name: 'MACs', value: formatCount(macs), note: 'of any number of heads' },
      { name: 'Weights', value: formatShape(weights.shape), note: 'head × query × key' },
      { name: 'Words read', value: formatSignificant(data.keysRead), note: 'by a row, as e to its entropy' },
      {
        name: 'Words pointed at',
        value: formatSignificant(data.pointedAt),
        note: 'by a query, in all heads: more than half of a row'
      }
    ])}`;
}

/** What each head looks for. @param {Data} data */
function jobsView({ config: { num_heads: heads } }) {
  const each = JOBS.length / heads;
  return html`<p class="note">What the heads look for, by parameters set by hand:</p>
    <ol class="jobs" start="0">${Array.from(
      { length: heads },
      (_, head) =>
        html`<li value=${head}>${JOBS.slice(head * each, (head + 1) * each)
          .map(({ name }) => name)
          .join(' + ')}</li>`
    )}</ol>`;
}

/** @type {import('./labs.js').Lab} */
export const lab = {
  settings,
  compute,
  notice,
  layer,
  figure,
  small: ({ weights }) => cornerOf({ data: weights.data.slice(100, 200), shape: [10, 10] }, 8)
};
