// What is kept of runs in this browser: whether the one under way is, and those that can be gone on with.

import { html, nothing } from 'lit';
import { formatCount } from '../../plain/format.js';
import { FORMAT, stateText } from '../../plain/train/kept.js';
import { taskOf } from '../../plain/train/settings.js';

/**
 * @typedef {import('../../plain/train/kept.js').Kept} Kept
 *
 * @typedef {object} KeptState
 * @property {Kept[]} runs the last first
 * @property {Kept | null} here of the settings as they are
 * @property {Kept | null} current of the run under way
 * @property {boolean} running whether there is a run
 * @property {boolean} wanted whether it is to be kept
 * @property {string} problem why it is not kept, '' if it is
 *
 * @typedef {{ goOn: (run: Kept) => void, forget: (run: Kept) => void }} KeptActions
 */

/** Whether a run of the settings as they are waits to be gone on with. @param {KeptState} state */
export const canGoOn = ({ running, here }) => !running && here?.format === FORMAT;

/** @param {KeptState} state @param {KeptActions} actions */
export function keptView(state, actions) {
  const { runs, here, current, running, problem } = state;
  const shown = running ? current : here;
  const others = runs.filter(({ key }) => key !== shown?.key);
  return html`<div class="train-kept" data-kept>
    ${problem ? html`<p class="train-missing" role="status" data-kept-problem>${running ? 'This run is not kept: a reload ends it.' : 'Runs are not kept.'} ${problem}</p>` : nothing}
    ${running ? runningView(state, actions) : here && !canGoOn(state) ? hereView(here, actions) : nothing}
    ${others.length ? othersView(others, Boolean(shown), actions) : nothing}
  </div>`;
}

/** @param {KeptState} state @param {KeptActions} actions */
function runningView({ current, wanted, problem }, { forget }) {
  if (!wanted) return html`<p class="note">This run is not kept: you had it forgotten.</p>`;
  if (!current) return problem ? nothing : html`<p class="note">This run will be kept in this browser.</p>`;
  return html`<p class="note" data-kept-step=${current.step}>Kept in this browser at step ${formatCount(current.step)}: a reload does not lose it. <button class="link" type="button" data-action="forget" @click=${() => forget(current)}>Forget</button></p>`;
}

/** @param {Kept} run @param {KeptActions} actions */
export const hereView = (run, actions) => html`
  <div class="train-kept-run" data-kept-here>
    <p class="note">A run with these settings is kept in this browser: ${stateText(run)}.${run.format === FORMAT ? nothing : OTHER_VERSION}</p>
    ${buttons(run, 'this run', actions, 'button primary')}
  </div>`;

const OTHER_VERSION = ' Another version of this page has kept it, so it cannot go on here.';

/** @param {Kept} run @param {string} what @param {KeptActions} actions @param {string} [look] of Continue */
const buttons = (run, what, { goOn, forget }, look = 'button small') => html`
  <div class="train-kept-buttons">
    ${run.format === FORMAT ? html`<button class=${look} type="button" data-action="continue" aria-label=${`Continue ${what}`} @click=${() => goOn(run)}>Continue</button>` : nothing}
    <button class="button small" type="button" data-action="forget" aria-label=${`Forget ${what}`} @click=${() => forget(run)}>Forget</button>
  </div>`;

/** @param {Kept[]} runs @param {boolean} besides one that is shown @param {KeptActions} actions */
const othersView = (runs, besides, actions) => html`
  <details class="options train-kept-others" data-kept-others>
    <summary>${besides ? 'Other kept runs' : 'Kept runs'} <span>${runs.length} in this browser</span></summary>
    <ul>${runs.map((run) => {
      const title = titleOf(run);
      return html`<li data-kept-run=${run.task}><p class="note"><b>${title}</b><br>${timeText(run)}, ${stateText(run)}.${run.format === FORMAT ? nothing : OTHER_VERSION}</p>${buttons(run, `the run ${title}`, actions)}</li>`;
    })}</ul>
  </details>`;

/** @param {Kept} run */
const titleOf = ({ task, file }) => file || taskOf(task).title;

/** @param {Kept} run */
const timeText = ({ time }) => new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
