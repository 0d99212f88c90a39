// The attention weights of a held-out example, of every head of every layer, at a moment that a slider chooses.

import { html, nothing } from 'lit';
import { formatCount } from '../../plain/format.js';
import { taskOf } from '../../plain/train/settings.js';
import { exampleView } from './example.js';

/**
 * @typedef {import('./view.js').State} State
 * @typedef {import('./view.js').Actions} Actions
 */

/** @param {State} state @param {Actions} actions */
export function attentionView(state, actions) {
  const { shown, map, values } = state;
  const task = shown?.task ?? taskOf(values.task);
  return html`
    <div class="train-head">
      <h2 id="attention-title" class="panel-title">Attention<span class="panel-note">of one held-out example</span></h2>
      ${momentView(state, actions)}${contrastView(state, actions)}
    </div>
    <div class="train-watch">
      ${shown ? html`<div class="train-map">${map}</div>` : html`<p class="train-map train-no-map note">${noMapText(state)}</p>`}
      <p class="train-about" id="about-task">${task.about}</p>
      ${shown ? html`<div class="train-seen">${exampleView(shown)}</div>` : nothing}
    </div>`;
}

/** @param {State} state */
function noMapText({ checked, isLive }) {
  if (!isLive) return 'Where each head looks appears here as soon as the layer can run.';
  return checked.plan
    ? 'Where each head looks appears here at the first step: this layer is too large to be drawn at every change of its settings.'
    : 'Where each head looks appears here, as soon as the settings can be trained.';
}

/** @param {State} state @param {Actions} actions */
function momentView({ shown }, { look }) {
  const { moments, moment } = shown ?? { moments: [], moment: null };
  const text = `step ${formatCount(moment?.step ?? 0)}`;
  const last = Math.max(0, moments.length - 1);
  return html`
    <div class="train-time">
      <label for="moment">Moment</label>
      <input id="moment" class="slider" type="range" min="0" max=${last} step="1" .value=${String(moment ? moments.indexOf(moment) : 0)}
        aria-valuetext=${text} ?disabled=${last === 0} @input=${(/** @type {any} */ event) => look(Number(event.target.value))}>
      <output for="moment" data-moment=${moment?.step ?? 0}>${text}</output>
    </div>`;
}

/** The settings with which a task cannot be learned, and the way back. @param {State} state @param {Actions} actions */
function contrastView({ values, playing }, { tryWith }) {
  const { contrast, defaults } = taskOf(values.task);
  if (!contrast) return nothing;
  const { field, value, text, back } = contrast;
  const isTried = String(values[field] ?? defaults[field]) === String(value);
  const patch = { [field]: String(isTried ? defaults[field] : value) };
  return html`<button class="button small train-contrast" type="button" data-action="contrast" aria-disabled=${playing ? 'true' : 'false'}
    @click=${() => playing || tryWith(patch)}>${isTried ? back : text}</button>`;
}
