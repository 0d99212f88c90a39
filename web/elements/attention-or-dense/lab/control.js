// The task, its layers and settings, and the buttons that run them.

import { html, nothing } from 'lit';
import { formatCount } from '../../../plain/format.js';
import { settingsOf as meant } from '../../../plain/labs/settings.js';
import { MOST_VARIANTS } from '../../../plain/attention-or-dense/settings.js';
import { tasks } from '../../../plain/attention-or-dense/tasks.js';
import { OVER_LSTM } from '../../../plain/attention-or-dense/variants.js';
import { follows } from '../../form/follows.js';
import { opensWhereWrong, wrongText } from '../../form/wrong.js';
import { saveExample } from '../../train/downloads.js';
import { fileView } from '../../table-file/file-view.js';
import { keptView } from './kept-view.js';
import { settingView } from '../../labs/view.js';

/** What every task has. */
const SHARED = ['samples', 'steps', 'lr', 'seeds', 'first_seed', 'budget'];

/** @typedef {import('./view.js').State} State @typedef {import('./view.js').Actions} Actions */

/** @param {State} state @param {Actions} actions */
export function controlView(state, actions) {
  const { task, errors, failure, said, values, settings } = state;
  const shown = meant(settings, values);
  const shared = shown.filter(({ name }) => SHARED.includes(name));
  const own = shown.filter((setting) => !shared.includes(setting) && setting.name !== 'header');
  const wrong = shared.filter(({ name }) => errors[name]).length;
  const prevent = (/** @type {Event} */ event) => event.preventDefault();
  return html`
    <form class="lab-settings" aria-label="Settings" novalidate @submit=${prevent} @change=${actions.settle}>
      <div class="field" data-field="task">
        <div class="field-head"><label for="contest-task">Task</label></div>
        <select id="contest-task" name="task" @change=${(/** @type {any} */ event) => actions.set({ task: event.target.value })}>
          ${tasks.map(({ name, title }) => html`<option value=${name} ?selected=${name === task.name} ${follows('selected', name === task.name)}>${title}</option>`)}
        </select>
        ${errorText(errors, 'task')}
      </div>
      ${task.file ? ownFileView(state, actions) : nothing}
      ${own.map((setting) => settingView(setting, state, actions))}
      ${buttonsView(state, actions)}
      <p class="hidden" role="status">${said}</p>
      ${failure ? html`<p class="field-error" role="alert">${failure}</p>` : nothing}
      ${chooserView(state, actions)}
      <details class="options contest-settings" open ${opensWhereWrong(wrong)}>
        <summary>Settings <span>${formatCount(shared.length)} fields${wrongText(wrong)}</span></summary>
        <div class="fields">${shared.map((setting) => settingView(setting, state, actions))}</div>
      </details>
      ${keptView(state.kept, actions.kept)}
    </form>`;
}

/** @param {State} state @param {Actions} actions */
const ownFileView = ({ file, report, errors, entered }, { file: files, set }) => html`
  ${fileView(
    file,
    { errors, report },
    entered,
    /** @type {any} */ ({
      set,
      drag: (/** @type {DragEvent} */ event) => files.drag(event),
      open: (/** @type {File} */ one) => files.open(one),
      openExample: (/** @type {string} */ name) => files.openExample(name),
      saveExample: () => saveExample(entered.file)
    })
  )}${errorText(errors, 'labels')}`;

/** @param {State} state @param {Actions} actions */
const buttonsView = ({ playing, runnable, done, step, stale }, { play, pause, step: stepOnce, reset }) => html`
  <div class="train-buttons">
    <button class="button primary" type="button" data-action="play" aria-disabled=${playing || (runnable && (!done || stale)) ? 'false' : 'true'}
      @click=${playing ? pause : play}>${playing ? 'Pause' : 'Play'}</button>
    <button class="button" type="button" data-action="step" aria-disabled=${!playing && runnable && (!done || stale) ? 'false' : 'true'} @click=${stepOnce}>One step</button>
    <button class="button" type="button" data-action="reset" aria-disabled=${step > 0 || playing ? 'false' : 'true'} @click=${reset}>Reset</button>
  </div>`;

/** @param {State} state @param {Actions} actions */
function chooserView({ candidates, errors, task }, { choose, set }) {
  const names = candidates.filter(({ chosen }) => chosen).map(({ name }) => name);
  const count = names.length;
  const sets = [
    { title: 'As the task opens', variants: task.variants },
    { title: 'Over an LSTM', variants: OVER_LSTM }
  ];
  const isChosen = (/** @type {readonly string[]} */ variants) =>
    variants.length === count && variants.every((name) => names.includes(name));
  return html`
    <details class="options contest-chooser">
      <summary>Layers <span>${count} of at most ${MOST_VARIANTS}</span></summary>
      <div class="chip-group" role="group" aria-label="Sets of layers">${sets.map(({ title, variants }) => html`<button class="chip" type="button" aria-pressed=${isChosen(variants) ? 'true' : 'false'} @click=${() => set({ variants })}>${title}</button>`)}</div>
      <ul>${candidates.map(
        ({ name, title, about, chosen, reason }) => html`<li>
        <label><input type="checkbox" name="variant" value=${name} ?checked=${chosen} ${follows('checked', chosen)}
          ?disabled=${!chosen && (reason !== '' || count >= MOST_VARIANTS)}
          @change=${(/** @type {any} */ event) => choose(name, event.target.checked)}><span><b>${title}</b> ${about}${reason ? html`<small class="contest-misfit">Does not fit: ${reason}</small>` : nothing}</span></label></li>`
      )}</ul>
    </details>
    ${errorText(errors, 'variants')}${errorText(errors, 'changes')}`;
}

/** @param {Record<string, string>} errors @param {string} name */
const errorText = (errors, name) =>
  errors[name] ? html`<p class="field-error" id=${`error-${name}`} role="alert">${errors[name]}</p>` : nothing;
