// The contests that are kept in this browser: each goes on where it was, has a name, and can be forgotten.

import { html, nothing } from 'lit';
import { formatCount } from '../../../plain/format.js';
import { isOpenable, noteOf, stepsOf } from '../../../plain/attention-or-dense/kept.js';
import { taskNamed } from '../../../plain/attention-or-dense/tasks.js';

/**
 * @typedef {import('./keeper.js').KeptEntry} KeptEntry
 * @typedef {{ entries: readonly KeptEntry[], problem: string, current: string }} KeptState `current`: the key of the
 *   run that is shown, '' without one
 * @typedef {{ open: (entry: KeptEntry) => void, forget: (entry: KeptEntry) => void,
 *   rename: (entry: KeptEntry, name: string) => void }} KeptActions
 */

/** @param {KeptState} state @param {KeptActions} actions */
export function keptView({ entries, problem, current }, actions) {
  return html`
    ${problem ? html`<p class="train-missing" role="status" data-kept-problem>${problem}</p>` : nothing}
    ${
      entries.length
        ? html`<details class="options contest-kept" data-kept><summary>Kept runs <span>${entries.length} in this browser</span></summary>
      <ul>${entries.map((entry) => entryView(entry, entry.key === current, actions))}</ul></details>`
        : nothing
    }`;
}

/** @param {KeptEntry} entry @param {boolean} isShown @param {KeptActions} actions */
function entryView(entry, isShown, { open, forget, rename }) {
  const { name, plan, time } = entry;
  const { task, file, variants } = plan;
  const { made, all } = stepsOf(entry);
  const title = name || file?.name || (taskNamed(task)?.title ?? task);
  const about = `${variants.length} layers, ${formatCount(made)} of ${formatCount(all)} steps, ${timeText(time)}`;
  const note = noteOf(entry);
  return html`<li data-kept-run=${task}>
    <label class="hidden" for=${`kept-${entry.time}`}>Name</label>
    <input id=${`kept-${entry.time}`} class="contest-name" type="text" .value=${name} placeholder=${title} @change=${(/** @type {any} */ event) => rename(entry, event.target.value.trim())}>
    <p class="note">${about}.${note ? ` ${note}` : ''}</p>
    <div class="actions">
      ${isShown ? html`<span class="note">shown here</span>` : isOpenable(entry) ? html`<button class="button small" type="button" data-action="continue" aria-label=${`Open ${title}`} @click=${() => open(entry)}>Open</button>` : nothing}
      <button class="button small" type="button" data-action="forget" aria-label=${`Forget ${title}`} @click=${() => forget(entry)}>Forget</button>
    </div></li>`;
}

/** @param {number} time */
const timeText = (time) => new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
