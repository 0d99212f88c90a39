// What a run has to show, as templates.

import { html, nothing } from 'lit';
import { formatBytes, formatCount, formatList, formatSeconds, formatSignificant } from '../../plain/format.js';
import { countsMasked } from '../../plain/formulas.js';
import { lowerBound } from '../../plain/bound.js';
import { shownValues } from '../../plain/python.js';

/** @typedef {import('./run-panel.js').Result} Result */

const BUILDS = /** @type {Record<string, string>} */ ({
  'relaxed-threads': 'relaxed SIMD',
  relaxed: 'relaxed SIMD',
  'simd-threads': 'SIMD',
  simd: 'SIMD'
});

/** @param {{ name: string, threads: number, reason: string }} build */
export const buildView = ({ name, threads, reason }) => html`
  <p class="build"><b>WebAssembly, ${BUILDS[name] ?? name}, ${threads} ${threads === 1 ? 'thread' : 'threads'}</b>${reason ? html` <span>${reason}</span>` : nothing}</p>`;

/**
 * @param {import('../../plain/limits.js').Needs} needs @param {number} limit
 * @param {(patch: Record<string, unknown>) => void} set
 */
export function needsView({ bytes, offers }, limit, set) {
  const needed = Number.isFinite(bytes) ? formatBytes(bytes) : 'more than can be counted';
  return html`
    <div class="needs" role="status">
      <p>This run needs ${needed}; ${formatBytes(limit)} is the limit here. The figures above hold all the
        same.${
          offers.length
            ? nothing
            : ' No smaller batch, sequence or stack of layers would fit: the sizes themselves are too large for a browser.'
        }</p>
      <div class="actions">${offers.map(
        ({ field, value }) => html`
        <button class="button" type="button" data-fit=${field} @click=${() => set({ [field]: value })}>Take the largest ${field} that fits, ${formatCount(value)}</button>`
      )}</div>
    </div>`;
}

/**
 * @param {import('../../lib/index.js').EstimateFigures} estimate in float32, as it runs
 * @param {Result} result
 */
export function outcomeView(estimate, { config, outcome }) {
  const bound = lowerBound(estimate, outcome.peaks);
  const least = outcome.call + bound.seconds;
  return html`
    <dl class="facts">
      ${fact('Time', formatSeconds(outcome.seconds), runsText(outcome), 'time')}
      ${speedFact(estimate, outcome.seconds)}
      ${fact('Lower bound', formatSeconds(least), `${formatSeconds(outcome.call)} that any call takes and ${formatSeconds(bound.seconds)} of ${bound.by}, at ${formatSignificant(outcome.peaks.flops_per_second / 1e9)} GFLOP/s and ${formatSignificant(outcome.peaks.bytes_per_second / 1e9)} GB/s; all measured here`, 'bound')}
      ${fact('Distance', `${formatSignificant(outcome.seconds / least)} ×`, distanceNote(estimate), 'distance')}
      ${outcome.rounding ? roundingFact(config.dtype, outcome.rounding) : nothing}
    </dl>`;
}

/** @param {import('../../lib/index.js').EstimateFigures} estimate */
const distanceNote = (estimate) =>
  countsMasked(estimate)
    ? 'time over the bound; the bound counts masked scores, which a run may skip, so that less than 1 is possible'
    : 'time over the bound; 1 is the best possible';

/** @param {{ runs: number, together: number }} timing */
function runsText({ runs, together }) {
  if (runs === 1) return 'one run';
  return together > 1 ? `median of ${runs} times ${formatCount(together)} runs` : `median of ${runs} runs`;
}

/**
 * Of a layer without matrix products the bytes that it moves.
 * @param {import('../../lib/index.js').EstimateFigures} estimate
 * @param {number} seconds
 */
function speedFact(estimate, seconds) {
  const { flops, bytes_moved: bytes } = estimate;
  if (flops === 0)
    return fact(
      'Speed',
      `${formatSignificant(bytes / seconds / 1e9)} GB/s`,
      `${formatBytes(bytes)} moved in that time`,
      'speed'
    );
  const masked = countsMasked(estimate) ? ', masked scores included, though a run may skip them' : '';
  return fact(
    'Speed',
    `${formatSignificant(flops / seconds / 1e9)} GFLOP/s`,
    `${formatCount(flops)} FLOPs in that time${masked}`,
    'speed'
  );
}

/** @param {string} title @param {string} value @param {string} note @param {string} key */
const fact = (title, value, note, key) =>
  html`<div data-fact=${key}><dt>${title}</dt><dd><b>${value}</b><span>${note}</span></dd></div>`;

/** @param {string} dtype @param {{ relative: number, max_absolute: number }} rounding */
function roundingFact(dtype, rounding) {
  const { relative, max_absolute: largest } = rounding;
  return fact(
    'What rounding does',
    `${formatSignificant(relative * 100)} %`,
    `relative error of the result, at most ${formatSignificant(largest)} off, with weights and inputs rounded to ${dtype}; the timed run is float32`,
    'rounding'
  );
}

/** @param {Result} result */
export const pooledView = ({ seed, outcome, python }) => html`
  <div class="same">
    <h3>The same numbers in PyTorch</h3>
    <p>First values of the result ${formatList(outcome.output.shape)}, seed ${seed}: <code class="values" data-values>${shownValues(outcome.output).join('  ')}</code></p>
    <pre class="code" tabindex="0" role="group" aria-label="PyTorch lines that give the same numbers"><code>${python}</code></pre>
  </div>`;
