// The chapters of the tutorial: what the code prints, the tensor that is looked at, the code.

import { html, nothing } from 'lit';
import { chapters, computeChapter, settingsOfChapter } from '../../plain/labs/tutorial.js';
import { formatShape } from '../../plain/format.js';
import { chartView, heatMap, cornerOf } from './pictures.js';

/** @typedef {ReturnType<typeof computeChapter>} Data */

/** @param {number} number from 1 @returns {import('./labs.js').Lab} */
export function chapterLab(number) {
  const chapter = chapters[number - 1];
  return {
    settings: settingsOfChapter(chapter),
    compute: (scope, values) => computeChapter(chapter, scope, values),
    notice: (data, values) => chapter.notice(data, values),
    layer: ({ config }) => config,
    figure,
    small: ({ tensors: { weights, output } }) => cornerOf((weights ?? output).tensor, 8)
  };
}

/** @param {Data} data @param {import('./labs.js').Stage} stage */
function figure(data, stage) {
  const { printed, lines, name, shown, losses = [], steps, python, differs } = data;
  const { tensor, axes, weights, explain } = shown;
  return html`
    <div class="lab-pair">
      <div><h2 class="panel-title">What it prints</h2>
        <pre class="code printed" tabindex="0" role="group" aria-label="What the code prints"><samp>${printed.join('\n')}</samp></pre>
        <p class="note">${differs}</p>
        ${losses.length > 1 ? chartView(lossChart(losses), stage) : nothing}</div>
      <div><h2 class="panel-title">The lines that print it</h2>
        <pre class="code printed" tabindex="0" role="group" aria-label="The lines of code that print it"><code>${lines.join('\n')}</code></pre>
        <details class="twin"><summary>With the class before them</summary>
          <pre class="code" tabindex="0" role="group" aria-label="PyTorch code that prints this"><code>${python}</code></pre></details></div>
    </div>
    <div><h2 class="panel-title">${name} <span class="panel-note">${formatShape(tensor.shape)}</span></h2>
      ${heatMap({ ...upright(tensor, axes), name, weights, explain }, stage)}</div>
    ${stepsView(steps)}`;
}

/**
 * A tensor of two columns lies down.
 * @param {import('../../plain/labs/rows.js').Tensor} tensor @param {string[]} axes
 */
function upright(tensor, axes) {
  const [rows, columns] = tensor.shape;
  if (tensor.shape.length !== 2 || columns > 2) return { tensor, axes };
  const data = tensor.data.map((_, at) => tensor.data[(at % rows) * columns + Math.floor(at / rows)]);
  return { tensor: { data, shape: [columns, rows] }, axes: [...axes].reverse() };
}

/** @param {number[]} losses @returns {import('./pictures.js').Chart} */
const lossChart = (losses) => ({
  name: 'loss',
  title: 'Training loss by step',
  x: 'step',
  across: 'linear',
  up: 'linear',
  ends: [0, Math.max(...losses)],
  now: losses.length,
  text: (value) => value.toFixed(2),
  lines: [{ label: 'loss', own: true, spots: losses.map((loss, at) => ({ x: at + 1, y: loss })) }]
});

/** @param {any[]} steps of the estimate */
const stepsView = (steps) => html`
  <details class="twin"><summary>Every step and its shape</summary>
    <div class="scroller" tabindex="0" role="group" aria-label="Steps"><table class="table">
      <thead><tr><th scope="col">Tensor</th><th scope="col">Shape</th><th scope="col">PyTorch</th></tr></thead>
      <tbody>${steps.map(({ output, shape, pytorch }) => html`<tr><th scope="row">${output}</th><td class="shape">${formatShape(shape)}</td><td><code>${pytorch}</code></td></tr>`)}</tbody>
    </table></div></details>`;
