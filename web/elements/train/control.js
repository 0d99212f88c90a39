// The task, its file, its settings, and the buttons that run it.

import { html, nothing } from 'lit';
import { fieldsOf, strangersIn, taskOf } from '../../plain/train/settings.js';
import { tasks } from '../../plain/train/tasks.js';
import { fieldView } from '../form/form.js';
import { follows } from '../form/follows.js';
import { opensWhereWrong, wrongText } from '../form/wrong.js';
import { fileView } from '../table-file/file-view.js';
import { canGoOn, hereView, keptView } from './kept-view.js';
import { needsView } from './needs.js';

/**
 * @typedef {import('./view.js').State} State
 * @typedef {import('./view.js').Actions} Actions
 */

/** @param {State} state @param {Actions} actions */
export function controlView(state, actions) {
  const { values, checked, layers, playing, step, failure, said, settings, file, limit, kept, repeated } = state;
  const goesOn = canGoOn(kept);
  const task = taskOf(values.task);
  const fields = fieldsOf(task, layers, values, file.table).filter(
    ({ name, choices }) => choices?.length !== 0 && name !== 'header'
  );
  const wrong = fields.filter(({ name }) => checked.errors[name]).length;
  const config = Object.fromEntries(fields.map((field) => [field.name, field.default]));
  const store = /** @type {any} */ ({ values, errors: checked.errors, config });
  const strangers = strangersIn(layers, values).filter((name) => state.linked.includes(name));
  const none = checked.plan ? 'false' : 'true';
  return html`
    <h2 id="control-title" class="hidden">Task and settings</h2>
    <div class="field" data-field="task">
      <div class="field-head"><label for="field-task">Task</label><code>${task.layer}</code></div>
      <select id="field-task" name="task" aria-describedby=${checked.errors.task ? 'error-task about-task' : 'about-task'}
        @change=${(/** @type {any} */ event) => actions.set({ task: event.target.value })}>
        ${tasks.map(({ name, title }) => html`<option value=${name} ?selected=${name === task.name} ${follows('selected', name === task.name)}>${title}</option>`)}
      </select>
      ${checked.errors.task ? html`<p class="field-error" id="error-task">${checked.errors.task}</p>` : nothing}
    </div>
    ${task.file ? fileView(file, { errors: goesOn ? fileKept(checked.errors, values) : checked.errors, report: checked.data?.report ?? null }, values, actions) : nothing}
    ${goesOn && kept.here ? hereView(kept.here, actions.kept) : nothing}
    <div class="train-buttons">
      <button class=${goesOn ? 'button' : 'button primary'} type="button" data-action="play" aria-disabled=${playing ? 'false' : none}
        @click=${playing ? actions.pause : actions.play}>${playing ? 'Pause' : 'Play'}</button>
      <button class="button" type="button" data-action="step" aria-disabled=${playing ? 'true' : none} @click=${actions.step}>One step</button>
      <button class="button" type="button" data-action="reset" aria-disabled=${step || playing ? 'false' : 'true'} @click=${actions.reset}>Reset</button>
    </div>
    <p class="hidden" role="status">${said}</p>
    ${failure || checked.errors[''] ? html`<p class="field-error" role="alert">${failure || checked.errors['']}</p>` : nothing}
    ${needsView(checked.needs, limit, actions.set)}
    ${repeated.length ? html`<p class="note train-strangers" data-repeated>The link is not followed in all: ${repeated.join('; ')}.</p>` : nothing}
    ${strangers.length ? html`<p class="note train-strangers" data-strangers>The link also names ${strangers.join(', ')}, which this task has no setting for: it is left out.</p>` : nothing}
    ${kept.running && !kept.problem ? nothing : keptView(kept, actions.kept)}
    <details class="options train-settings" ?open=${settings} ?data-still=${!state.isLive} ${opensWhereWrong(wrong)}>
      <summary>Settings <span>${fields.length} fields${wrongText(wrong)}</span></summary>
      <form class="fields dense" aria-label="Settings" novalidate @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        if (!playing) actions.play();
      }}>${fields.map((field) => fieldView(store, field, actions))}<button class="hidden" type="submit" tabindex="-1" aria-hidden="true">Play</button></form>
    </details>`;
}

/**
 * A file that is kept with its run need not be chosen.
 * @param {Record<string, string>} errors @param {import('../../plain/fields.js').Values} values
 */
const fileKept = (errors, { file }) =>
  errors.file && file ? { ...errors, file: `Continue opens ${file}, which is kept with the run.` } : errors;
