// How long each tensor lives: one row a tensor, one column a step, and under them the bytes alive at each step.

import { html, nothing, svg } from 'lit';
import { outputsOf } from '../../plain/outputs.js';
import { formatBytes } from '../../plain/format.js';
import { repeatOf, repeatText } from '../../plain/repeats.js';
import { seen } from './steps.js';

/** @typedef {{ tensor: string, bytes: number, born: number, freed: number }} Lifetime */

/** Bytes alive at each step, inputs included. @param {Lifetime[]} timeline @param {number} count */
export const liveBytes = (timeline, count) =>
  Array.from({ length: count }, (_, step) =>
    timeline.reduce((sum, { bytes, born, freed }) => sum + (born <= step && step <= freed ? bytes : 0), 0)
  );

const MAX_ROOMY_STEPS = 9;

/** @param {any} estimate @param {import('./steps.js').See} [see] */
export function timelineView({ timeline, steps }, see = null) {
  const made = new Set(steps.flatMap(outputsOf).map((/** @type {any} */ { name }) => name));
  const link = (/** @type {string} */ tensor) => seen(tensor, tensor, made.has(tensor) ? see : null);
  const live = liveBytes(timeline, steps.length);
  const peak = Math.max(...live);
  const at = live.indexOf(peak);
  return html`
    <section class="panel" part="panel" id="timeline" aria-labelledby="timeline-title">
      <h2 id="timeline-title" class="panel-title">Tensor timeline
        <span class="panel-note">most at <em>${steps[at].name}</em>: ${formatBytes(peak)} alive${steps.some((/** @type {any} */ step) => repeatOf(step) > 1) ? '; repeated steps stand once' : ''}</span></h2>
      <div class="scroller" tabindex="0" role="group" aria-labelledby="timeline-title">
        <table class=${steps.length > MAX_ROOMY_STEPS ? 'table timeline dense' : 'table timeline'}>
          <thead><tr><th scope="col">Tensor</th><th scope="col" class="num">Bytes</th>
            ${steps.map(
              (/** @type {any} */ step, /** @type {number} */ index) =>
                html`<th scope="col" class=${index === at ? 'step peak' : 'step'}><span>${step.name}${repeatOf(step) > 1 ? html`<b class="repeat">${repeatText(step)}</b>` : nothing}</span></th>`
            )}</tr></thead>
          <tbody>
            ${timeline.map((/** @type {Lifetime} */ life) => lifeRow(life, steps.length, at, link(life.tensor)))}
          </tbody>
          <tfoot><tr><th scope="row">Alive</th><td class="num">${formatBytes(peak)}</td>
            ${live.map(
              (bytes, index) => html`<td class=${index === at ? 'alive peak' : 'alive'}>
              ${column(bytes / peak)}<span>${formatBytes(bytes)}</span></td>`
            )}</tr></tfoot>
        </table>
      </div>
    </section>`;
}

/** @param {Lifetime} life @param {number} count @param {number} peak @param {unknown} name */
function lifeRow({ bytes, born, freed }, count, peak, name) {
  const cells = [];
  for (let step = 0; step < count; step += 1) {
    const alive = born <= step && step <= freed;
    const ends = `${step === born ? ' starts' : ''}${step === freed ? ' ends' : ''}`;
    cells.push(
      html`<td class="step${step === peak ? ' peak' : ''}">${
        alive
          ? html`<span class="life${ends}"><span class="hidden">alive</span></span>`
          : html`<span class="hidden">not alive</span>`
      }</td>`
    );
  }
  return html`<tr><th scope="row"><code>${name}</code></th><td class="num">${formatBytes(bytes)}</td>${cells}</tr>`;
}

/** @param {number} share */
const column = (share) =>
  html`<svg class="column" aria-hidden="true">${svg`<rect x="0" width="100%" y=${`${100 - share * 100}%`} height=${`${share * 100}%`}></rect>`}</svg>`;
