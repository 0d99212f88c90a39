// What was learned, and what can be kept of it.

import { html, nothing } from 'lit';
import { learnedText } from '../../plain/train/learned.js';
import { unknownView } from '../table-file/file-view.js';
import { keptView } from './kept-view.js';
import { runTable } from './run-table.js';

/**
 * @typedef {import('./view.js').State} State
 * @typedef {import('./view.js').Actions} Actions
 */

/** @param {State} state @param {Actions} actions */
export function resultView(
  { shown, playing, tabled, kept, values },
  { set, saveWeights, saveRun, table, kept: keptActions }
) {
  const last = shown?.points.at(-1);
  const off = last ? 'false' : 'true';
  return html`
    <div class="panel-head"><h2 id="learned-title" class="panel-title">What was learned</h2></div>
    <p class="train-learned" data-learned>${shown && last ? learnedText(last, shown.data.chance) : 'Nothing has run yet. Play trains, step by step; Pause and go on whenever you like.'}</p>
    ${shown && last ? unknownView(shown.data.report?.unknown ?? '', values.tokens, 'characters', set) : nothing}
    ${kept.running && !kept.problem ? keptView(kept, keptActions) : nothing}
    <div class="actions">
      <button class="button" type="button" data-action="weights" aria-disabled=${playing ? 'true' : off} @click=${saveWeights}>Weights (.safetensors)</button>
      <button class="button" type="button" data-action="run" aria-disabled=${off} @click=${saveRun}>Run (.csv)</button>
    </div>
    <p class="note">The weights have the names of the PyTorch module that the calculator prints for this layer.</p>
    ${shown && last ? runTable(shown, tabled, table) : nothing}`;
}
