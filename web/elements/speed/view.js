// The speed page's element as one template: the build renders it before anything is measured, the element keeps it
// live.

import { html, nothing } from 'lit';
import { formatPercent, formatSeconds, formatSignificant, formatThings } from '../../plain/format.js';
import { buildView } from '../run/view.js';
import { figure, split } from '../shared/figure.js';
import { segments } from '../form/form.js';
import { ridgeOf, rowsOf, series } from '../../plain/measured.js';
import { symbolView } from './symbols.js';

/**
 * @typedef {import('../../plain/measured.js').Row} Row
 * @typedef {import('../../plain/measured.js').Series} Series
 * @typedef {import('../../plain/measured.js').Part} Part
 *
 * @typedef {object} State
 * @property {Part[]} parts
 * @property {import('./worker.js').Progress | null} progress
 * @property {string} failure
 * @property {string} said
 * @property {string} lacking
 * @property {number} chosen threads; 0: those that were measured last
 * @property {typeof import('./roofline.js') | null} draw
 * @property {number} width of the chart
 *
 * @typedef {{ start: () => void, cancel: () => void, choose: (threads: number) => void }} Actions
 */

/** @type {State} */
export const unmeasured = {
  parts: [],
  progress: null,
  failure: '',
  said: '',
  lacking: '',
  chosen: 0,
  draw: null,
  width: 0
};

/** @param {State} state @param {Actions} actions */
export function speedView(state, actions) {
  const { parts, chosen } = state;
  const part = parts.find(({ build }) => build.threads === chosen) ?? parts.at(-1);
  const rows = rowsOf(part);
  return html`
    <div class="speed">
      <section class="panel speed-control" aria-labelledby="measure-title">${controlView(state, actions, part)}</section>
      <div class="speed-results">
        ${part ? figuresView(part, rows) : nothing}
        <section class="panel" aria-labelledby="roofline-title">
          <div class="panel-head">
            <h2 id="roofline-title" class="panel-title">Roofline</h2>
            ${parts.length > 1 && part ? threadsView(parts, part, actions) : nothing}
          </div>
          ${part ? rooflineView(state, part, rows) : html`<p class="note">Nothing is measured yet. The roofs come first, then a point for each layer as soon as it is timed.</p>`}
        </section>
        <section class="panel" aria-labelledby="layers-title">
          <div class="panel-head"><h2 id="layers-title" class="panel-title">Layers<span class="panel-note">${part ? `${threadCount(part)}; ` : ''}times are medians, a name opens the layer in the calculator</span></h2></div>
          <p class="note" data-convention>A causal layer counts half of its scores here, and all of them in the
            calculator. <a class="link" href="../guide/#causal-flops">Why</a></p>
          ${tableView(rows)}
        </section>
      </div>
    </div>`;
}

/** @param {State} state @param {Actions} actions @param {Part} [part] */
function controlView({ progress, failure, said, lacking, parts }, { start, cancel }, part) {
  return html`
    <h2 id="measure-title" class="panel-title">Measure this browser</h2>
    <p class="note">Times ${rowsOf(undefined).length} layers here, on random numbers, with one thread and with all: 10
      to 30 seconds. Leave the page in view meanwhile; other work on the machine makes the figures worse, never
      better.</p>
    ${lacking ? html`<div class="needs" data-lacking><p>Slower than it could be: ${lacking}.</p></div>` : nothing}
    <button class="button primary wide" type="button" data-action="measure" aria-disabled=${progress ? 'true' : 'false'}
      @click=${() => progress || start()}>${parts.length && !progress ? 'Measure again' : 'Measure now'}</button>
    ${progress ? html`<button class="button wide" type="button" data-action="cancel" @click=${cancel}>Cancel</button>` : nothing}
    ${progress ? html`<div class="progress"><progress max="1" .value=${progress.done} aria-label="Measurement"></progress><span>${progress.stage}</span></div>` : nothing}
    <p class="hidden" role="status">${said}</p>
    ${failure ? html`<p class="field-error" role="alert">${failure}</p>` : nothing}
    ${part ? buildView({ ...part.build, reason: '' }) : nothing}`;
}

/** @param {Part} part @param {Row[]} rows */
function figuresView({ peaks }, rows) {
  const shares = rows.flatMap(({ title, measured }) => (measured ? [{ title, ...measured }] : []));
  const best = shares.reduce((/** @type {any} */ most, row) => (row.rate > (most?.rate ?? 0) ? row : most), null);
  return html`
    <div class="figures speed-figures" role="group" aria-label="What this machine reaches">
      ${figure('Arithmetic', 'flops', amount(peaks.flops_per_second / 1e9, 'GFLOP/s'), 'a chain of multiply-adds that stays in registers')}
      ${figure('Memory', 'bytes', amount(peaks.bytes_per_second / 1e9, 'GB/s'), 'reading a long array from end to end')}
      ${figure('Ridge', 'ridge', amount(ridgeOf(peaks), 'FLOP/byte'), 'left of it memory sets the roof, right of it arithmetic')}
      ${best ? figure('Fastest layer', 'best', amount(best.rate / 1e9, 'GFLOP/s'), `${best.title}, ${formatPercent(best.share)} of its roof`) : figure('Fastest layer', 'best', '–', 'not timed yet')}
    </div>`;
}

/** @param {number} value @param {string} unit */
const amount = (value, unit) => split({ number: formatSignificant(value), unit });

/** @param {Part[]} parts @param {Part} part @param {Actions} actions */
function threadsView(parts, part, { choose }) {
  const choices = parts.map((one) => ({ value: String(one.build.threads), text: threadCount(one) }));
  return html`<fieldset class="inline"><legend class="hidden">Show</legend>${segments('threads', choices, String(part.build.threads), (/** @type {string} */ value) => choose(Number(value)))}</fieldset>`;
}

/** @param {Part} part */
const threadCount = ({ build: { threads } }) => formatThings(threads, 'thread');

/** @param {State} state @param {Part} part @param {Row[]} rows */
function rooflineView({ draw, width, parts }, part, rows) {
  const others = parts.filter((one) => one !== part);
  const shown = new Set(rows.filter(({ measured }) => measured).map((row) => row.series));
  return html`
    <figure class="chart" data-chart="roofline" data-points=${rows.filter(({ measured }) => measured).length}>
      <figcaption>GFLOP/s by FLOPs for each byte that must move, on log scales. Solid: the
        roof${others.map((other) => `; dashed: that of ${threadCount(other)}`)}</figcaption>
      <div class="plot roofline" role="img" aria-label=${`Roofline with ${threadCount(part)}; the figures are in the table below`}>
        ${
          draw && width
            ? draw.drawRoofline(
                rows,
                part.peaks,
                others.map(({ peaks }) => peaks),
                width
              )
            : nothing
        }</div>
      <ul class="legend speed-legend">${/** @type {Series[]} */ (Object.keys(series)).filter((key) => shown.has(key)).map((key) => html`<li>${symbolView(key)}${series[key]}</li>`)}</ul>
    </figure>`;
}

const COLUMNS = ['Time', 'GFLOP/s', 'Of the roof', 'FLOP/byte', 'Runs'];

/** @param {Row[]} rows */
const tableView = (rows) => html`
  <div class="scroller" tabindex="0" role="group" aria-label="Layers as a table">
    <table class="table speed-table"><thead><tr><th scope="col">Layer</th>${COLUMNS.map((title) => html`<th scope="col" class="num">${title}</th>`)}<th scope="col">Bound by</th></tr></thead>
      <tbody>${rows.map(rowView)}</tbody></table>
  </div>`;

/** @param {Row} row */
function rowView({ workload, title, intensity, measured }) {
  const link = `../?${new URLSearchParams(/** @type {any} */ (workload.config))}`;
  return html`<tr data-workload=${workload.name}><th scope="row"><a class="link" href=${link}>${title}</a></th>
    <td class="num">${measured ? formatSeconds(measured.seconds) : '–'}</td>
    <td class="num">${measured ? formatSignificant(measured.rate / 1e9) : '–'}</td>
    <td class="num">${measured ? formatPercent(measured.share) : '–'}</td>
    <td class="num">${formatSignificant(intensity)}</td>
    <td class="num">${measured?.runs ?? '–'}</td>
    <td>${measured?.by ?? '–'}</td></tr>`;
}
