import { html, svg } from 'lit';
import { CORNERS, GRID, REACH, STEPS, compute, layer, notice, settings } from '../../plain/labs/linear-or-additive.js';
import { formatCount } from '../../plain/format.js';
import { percent, smallOf } from './pictures.js';

/** @typedef {ReturnType<typeof compute>} Data */
/** @typedef {import('../../plain/labs/linear-or-additive.js').Learned} Learned */

/** @param {Data} data */
const figure = ({ points, linear, additive }) => html`
  <div class="lab-pair">${side('Linear scorer', linear, points)}${side('Additive scorer', additive, points)}</div>
  <p class="note">Each point is a position with two features, “this” across and “that” up. Filled points are wanted:
    their score is to be above 0. Orange is above 0, blue below; between them lies what the scorer can draw. The bars
    are the weights that softmax makes of the four middles as one sequence. Both were trained here, ${STEPS} steps of Adam.</p>`;

/** @param {string} title @param {Learned} learned @param {Data['points']} points */
const side = (title, learned, points) => html`
  <figure class="decision">
    <figcaption><b>${title}</b> ${formatCount(learned.parameters)} parameters, ${percent(learned.accuracy)} of the points right</figcaption>
    <svg viewBox=${`${-REACH} ${-REACH} ${2 * REACH} ${2 * REACH}`} role="img"
      aria-label=${`${title}: scores of the plane, ${percent(learned.accuracy)} of the points on their side of 0`}>
      <g transform=${`translate(${-REACH} ${-REACH}) scale(${CELL})`}>${bandsOf(learned.plane)}</g>
      ${points.map(({ x, y, wanted }) => svg`<circle class=${wanted ? 'wanted' : 'other'} cx=${x.toFixed(3)} cy=${(-y).toFixed(3)} r="0.055"></circle>`)}
      ${CORNERS.map(({ name, x, y }) => svg`<text x=${x * 1.92} y=${y > 0 ? -1.78 : 1.9} text-anchor=${x > 0 ? 'end' : 'start'}>${name}</text>`)}
    </svg>
    <ol class="bars">${CORNERS.map(
      (
        { name },
        at
      ) => html`<li><svg aria-hidden="true">${svg`<rect x="0" width="100%" y=${`${100 * (1 - learned.weights[at])}%`} height=${`${Math.max(100 * learned.weights[at], 1)}%`}></rect>`}</svg>
        <span>${learned.weights[at].toFixed(3)}</span><span>${name}</span></li>`
    )}</ol>
  </figure>`;

/** How sure a score is, in steps: each its own colour. */
const SHADES = 5;
const CELL = (2 * REACH) / GRID;

/** Cells of the same step as one path. @param {Float32Array} plane */
function bandsOf(plane) {
  /** @type {Map<number, string[]>} */
  const paths = new Map();
  plane.forEach((score, at) => {
    const sure = Math.tanh(score / 4);
    const step = Math.sign(sure) * Math.max(1, Math.ceil(Math.abs(sure) * SHADES));
    const place = `M${at % GRID} ${Math.floor(at / GRID)}h1v1h-1z`;
    paths.set(step, [...(paths.get(step) ?? []), place]);
  });
  return [...paths].map(
    ([step, parts]) =>
      svg`<path class=${step > 0 ? 'above' : 'below'} fill-opacity=${(Math.abs(step) / SHADES) * 0.85} shape-rendering="crispEdges" d=${parts.join('')}></path>`
  );
}

/** @type {import('./labs.js').Lab} */
export const lab = {
  settings,
  compute,
  notice,
  layer,
  figure,
  small: ({ additive }) => smallOf({ data: additive.plane, shape: [GRID, GRID] }, 8)
};
