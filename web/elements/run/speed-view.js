// How fast a run was, as templates: before it is measured, each figure has its place.

import { html, nothing } from 'lit';
import { ratioText } from '../../plain/change.js';
import { formatBytes, formatCount, formatSeconds, formatSignificant, formatThings } from '../../plain/format.js';
import { countsMasked } from '../../plain/formulas.js';
import { buildView } from './view.js';

/**
 * @typedef {import('./speed.js').Speed} Speed
 * @typedef {{ speed: Speed | null, said: string }} Timing `said`: how far it is, or why there is none
 */

/**
 * @param {import('../../lib/index.js').EstimateFigures} estimate in float32, as it runs
 * @param {string} dtype
 * @param {Timing} timing
 * @param {{ name: string, threads: number, reason: string }} build
 */
export function speedView(estimate, dtype, { speed, said }, build) {
  return html`
    <div class="run-speed">
      <div class="panel-head">
        <h3>Speed <span class="panel-note" role="status">${speed ? nothing : said}</span></h3>
        ${buildView(build)}
      </div>
      <dl class="facts" data-speed=${speed ? 'measured' : 'pending'}>
        ${speed ? facts(estimate, dtype, speed) : waitingFor(dtype).map(([title, key]) => fact(title, '…', '', key))}
      </dl>
    </div>`;
}

/** @param {string} dtype */
const waitingFor = (dtype) => [
  ['Time', 'time'],
  ['Rate', 'speed'],
  ['Lower bound', 'bound'],
  ['Distance', 'distance'],
  ...(dtype === 'float32' ? [] : [['What rounding does', 'rounding']])
];

/** @param {import('../../lib/index.js').EstimateFigures} estimate @param {string} dtype @param {Speed} speed */
const facts = (estimate, dtype, speed) => [
  fact('Time', formatSeconds(speed.seconds), runsText(speed), 'time'),
  rateFact(estimate, speed.seconds),
  ...boundFacts(speed),
  speed.rounding ? roundingFact(dtype, speed.rounding) : nothing
];

/** @param {Speed} speed */
function boundFacts({ seconds, bound }) {
  if ('none' in bound)
    return [
      fact('Lower bound', 'No figure', `${bound.none}.`, 'bound'),
      fact('Distance', '–', 'there is no bound', 'distance')
    ];
  const { call, work, by, rate } = bound;
  return [
    fact(
      'Lower bound',
      formatSeconds(bound.seconds),
      `${formatSeconds(call)} that any call takes and ${formatSeconds(work)} of ${by}, at ${rate}, measured just now`,
      'bound'
    ),
    fact('Distance', ratioText(seconds / bound.seconds), 'time over the bound; 1 is the best possible', 'distance')
  ];
}

/** @param {Speed} speed */
function runsText({ runs, together }) {
  if (runs === 1) return 'one run';
  return together > 1
    ? `median of ${runs} times ${formatCount(together)} runs`
    : `median of ${formatThings(runs, 'run')}`;
}

/**
 * Of a layer without matrix products the bytes that it moves.
 * @param {import('../../lib/index.js').EstimateFigures} estimate
 * @param {number} seconds
 */
function rateFact(estimate, seconds) {
  const { flops, bytes_moved: bytes } = estimate;
  if (flops === 0)
    return fact(
      'Rate',
      `${formatSignificant(bytes / seconds / 1e9)} GB/s`,
      `${formatBytes(bytes)} moved in that time`,
      'speed'
    );
  const masked = countsMasked(estimate) ? ', masked scores included, though a run may skip them' : '';
  return fact(
    'Rate',
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
