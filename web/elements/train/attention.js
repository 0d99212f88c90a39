// The attention weights of a held-out example, at a moment that a slider chooses.

import { html } from 'lit';
import { formatCount } from '../../plain/format.js';
import { exampleView } from './example.js';

/**
 * @typedef {import('./view.js').State} State
 * @typedef {import('./view.js').Actions} Actions
 */

/** @param {State} state @param {Actions} actions */
export function attentionView({ shown, map }, { look }) {
  const head = html`<div class="panel-head"><h2 id="attention-title" class="panel-title">Attention<span class="panel-note">of one held-out example${shown?.task.layer === 'decoder' ? ', in the last layer' : ''}</span></h2></div>`;
  if (!shown)
    return html`${head}<p class="note">Each head's weights appear here, and change while the layer learns.</p>`;
  const { moments, moment } = shown;
  const index = moments.indexOf(moment);
  const text = `step ${formatCount(moment.step)}`;
  return html`${head}
    <div class="train-time">
      <label for="moment">Moment</label>
      <input id="moment" class="slider" type="range" min="0" max=${moments.length - 1} step="1" .value=${String(index)}
        aria-valuetext=${text} @input=${(/** @type {any} */ event) => look(Number(event.target.value))}>
      <output for="moment" data-moment=${moment.step}>${text}</output>
    </div>
    ${map}
    ${exampleView(shown)}`;
}
