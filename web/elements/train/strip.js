// The run in figures: its step, and the curves of accuracy and loss under what they have come to.

import { html, nothing } from 'lit';
import { formatCount, formatPercent, formatSignificant, splitBytes } from '../../plain/format.js';
import { figure, split } from '../shared/figure.js';

/**
 * @typedef {import('./view.js').State} State
 * @typedef {import('./curves.js').Kind} Kind
 */

/** @param {State} state */
export const stripView = (state) => html`
  <section class=${state.shown?.stale ? 'train-strip stale' : 'train-strip'} aria-label="The run in figures">
    ${factsView(state)}${accuracyView(state)}${lossView(state)}
  </section>`;

/** @param {State} state */
function factsView({ step, rate, gradientNorm, shown, checked }) {
  const { memory = checked.needs.bytes, parameters = checked.parameters } = shown ?? {};
  const bytes = Number.isFinite(memory) && parameters ? split(splitBytes(memory)) : '–';
  return html`<div class="train-facts">
    ${figure('Step', 'step', formatCount(step), rateText(step, rate))}
    ${figure('Gradient norm', 'gradient', step ? formatSignificant(gradientNorm) : '–', 'in the last step')}
    ${figure('Memory of a step', 'memory', bytes, parameters ? `${formatCount(parameters)} parameters` : 'at its peak')}
  </div>`;
}

/** @param {number} step @param {number} rate 0 until steps have been timed */
function rateText(step, rate) {
  if (rate) return `${formatSignificant(rate)} steps a second`;
  return step ? 'not timed yet' : 'not yet under way';
}

/** @param {State} state */
function accuracyView({ shown, checked, curves }) {
  const last = shown?.points.at(-1);
  const chance = (shown?.data ?? checked.data)?.chance;
  return cardView('accuracy', 'Held-out accuracy', last ? formatPercent(last.held_accuracy) : '–', curves, [
    last ? key('seen', `training: ${formatPercent(last.accuracy)}`) : nothing,
    chance === undefined ? nothing : key('guess', `guessing: ${formatPercent(chance)}`)
  ]);
}

/** @param {State} state */
function lossView({ shown, curves }) {
  const last = shown?.points.at(-1);
  return cardView('loss', 'Held-out loss', last ? formatSignificant(last.held_loss) : '–', curves, [
    last ? key('seen', `training: ${formatSignificant(last.loss)}`) : nothing
  ]);
}

/** What a line of the curve is. @param {'held' | 'seen' | 'guess'} line @param {string} text */
const key = (line, text) =>
  html`<span class=${`train-key ${line}-key`}><span class=${`dash ${line}`}></span>${text}</span>`;

/**
 * @param {Kind} kind @param {string} title @param {string} value @param {State['curves']} curves
 * @param {unknown[]} keys
 */
const cardView = (kind, title, value, curves, keys) => html`
  <figure class="chart train-card" data-chart=${kind}>
    <figcaption data-figure=${kind}>
      <h3 class="figure-title"><span class="dash held"></span>${title}</h3>
      <p class="figure-value">${value}</p>
      <p class="train-keys">${keys}</p>
    </figcaption>
    <div class="plot" role="img" aria-label=${`${title} by step; the figures are in the table of the run`}>${curves?.[kind] ?? nothing}</div>
  </figure>`;
