import { html } from 'lit';
import { compute, layer, notice, settings } from '../../plain/labs/positions.js';
import { formatSigned } from '../../plain/format.js';
import { UNMASKED, chartView, heatMap, cornerOf } from './pictures.js';

/** @typedef {ReturnType<typeof compute>} Data */

/** @param {Data} data @param {import('./labs.js').Stage} stage */
function figure(data, stage) {
  const { weights, words, explain } = data;
  const map = { tensor: weights, name: 'weights', axes: ['query', 'key'], weights: true, words, explain };
  const chart = html`${chartView(chartOf(data), stage)}
    <p class="note">Queries and keys are the vectors themselves, without projections. A score is counted from that of
      the query’s own place. The line is the mean of all pairs at a distance, the band goes from the least to the largest.</p>`;
  return heatMap(map, stage, UNMASKED, chart);
}

/** @param {Data} data @returns {import('./pictures.js').Chart} */
const chartOf = ({ distances, values: { head } }) => ({
  name: 'distance',
  title: `Score by distance, head ${head}`,
  x: 'key − query',
  across: 'linear',
  up: 'linear',
  now: 0,
  text: (value) => formatSigned(Math.round(value * 1000) / 1000),
  lines: [{ label: 'mean', own: true, spots: distances.map(({ distance, mean }) => ({ x: distance, y: mean })) }],
  band: distances.map(({ distance, low, high }) => ({ x: distance, low, high }))
});

/** @type {import('./labs.js').Lab} */
export const lab = { settings, compute, notice, layer, figure, small: ({ weights }) => cornerOf(weights, 8) };
