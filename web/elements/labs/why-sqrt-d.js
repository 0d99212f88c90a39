import { html } from 'lit';
import { LENGTH, compute, layer, notice, settings } from '../../plain/labs/why-sqrt-d.js';
import { formatSignificant } from '../../plain/format.js';
import { UNMASKED, chartView, factsView, heatMap, percent, cornerOf } from './pictures.js';

/** @typedef {ReturnType<typeof compute>} Data */

/** @param {Data} data @param {import('./labs.js').Stage} stage */
function figure({ all, shown }, stage) {
  const { weights, explain } = shown;
  const map = { tensor: weights, name: 'weights', axes: ['query', 'key'], weights: true, explain };
  const chart = html`${chartView(chartOf(all, shown), stage)}
      ${factsView([
        { name: 'Scores', value: formatSignificant(shown.deviation), note: 'their standard deviation' },
        {
          name: 'Largest weight',
          value: percent(shown.largest),
          note: `of ${LENGTH}, mean over rows; even would be ${percent(1 / LENGTH)}`
        },
        { name: 'Keys read', value: formatSignificant(shown.keysRead), note: 'e to the entropy of a row' },
        {
          name: 'Slope of softmax',
          value: formatSignificant(shown.slope),
          note: 'w(1 − w), summed over a row: what a gradient is multiplied by'
        }
      ])}`;
  return heatMap(map, stage, UNMASKED, chart);
}

/** @param {Data['all']} all @param {Data['shown']} shown @returns {import('./pictures.js').Chart} */
const chartOf = (all, { d, scale }) => ({
  name: 'largest',
  title: `Largest weight of ${LENGTH} by d`,
  x: 'd',
  across: 'log',
  up: 'linear',
  ends: [0, 1],
  now: d,
  text: percent,
  lines: [
    { kind: 'none', label: 'q · k' },
    { kind: 'sqrt', label: 'q · k / √d' }
  ].map(({ kind, label }) => ({
    label,
    own: kind === scale,
    spots: all.filter((one) => one.scale === kind).map((one) => ({ x: one.d, y: one.largest }))
  }))
});

/** @type {import('./labs.js').Lab} */
export const lab = { settings, compute, notice, layer, figure, small: ({ shown }) => cornerOf(shown.weights, LENGTH) };
