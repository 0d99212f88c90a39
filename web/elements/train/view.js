// The training page's element as one template: the build renders it before anything has run, the element keeps it live.

import { html, nothing } from 'lit';
import { ref } from 'lit/directives/ref.js';
import { formatCount, formatSignificant, splitBytes } from '../../plain/format.js';
import { learnedText, percent } from '../../plain/train/learned.js';
import { fieldsOf, taskOf } from '../../plain/train/settings.js';
import { tasks } from '../../plain/train/tasks.js';
import { fieldView } from '../form/form.js';
import { follows } from '../form/follows.js';
import { figure, split } from '../shared/figure.js';
import { exampleView } from './example.js';
import { fileView } from './file-view.js';
import { gradientsView } from './gradients.js';

/**
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {import('../../plain/train/settings.js').Checked} Checked
 * @typedef {import('../../plain/fields.js').Values} Values
 * @typedef {import('../../plain/fields.js').Layer} Layer
 * @typedef {import('./curves.js').Kind} Kind
 *
 * @typedef {object} Shown what there is of a run
 * @property {import('../../plain/train/tasks.js').Task} task
 * @property {import('../../plain/train/tasks.js').Data} data
 * @property {import('../../plain/train/batch.js').Batch} example
 * @property {number} parameters
 * @property {Point[]} points
 * @property {Point[]} moments
 * @property {Point} moment that is looked at
 * @property {boolean} stale whether the settings are others by now
 *
 * @typedef {object} State
 * @property {readonly Layer[]} layers
 * @property {Values} values
 * @property {Checked} checked
 * @property {import('./file-view.js').FileState} file
 * @property {boolean} playing
 * @property {number} step
 * @property {number} rate steps a second
 * @property {number} gradientNorm
 * @property {string} failure
 * @property {string} said
 * @property {boolean} settings whether they are open
 * @property {boolean} tabled whether the table of the curves is open
 * @property {Shown | null} shown
 * @property {Record<Kind, Element | null> | null} curves
 * @property {unknown} map the heat map
 *
 * @typedef {object} Actions
 * @property {(patch: Record<string, unknown>) => void} set
 * @property {() => void} play
 * @property {() => void} pause
 * @property {() => void} step
 * @property {() => void} reset
 * @property {(index: number) => void} look
 * @property {(open: boolean) => void} table
 * @property {() => void} saveWeights
 * @property {() => void} saveRun
 * @property {(file: File) => void} open
 * @property {(name: string) => void} openExample
 * @property {() => void} saveExample
 * @property {(event: DragEvent) => void} drag
 */

/** @param {State} state @param {Actions} actions */
export function trainView(state, actions) {
  return html`
    <div class="train">
      <div class="train-side">
        <section class="panel train-control" aria-labelledby="control-title">${controlView(state, actions)}</section>
      </div>
      <div class="train-results">
        ${figuresView(state)}
        ${state.shown?.stale ? html`<p class="stale-note train-stale" data-stale>The settings have changed since this run. Play and One step begin a new one.</p>` : nothing}
        <section class=${panelClass(state)} aria-labelledby="curves-title">${curvesView(state, actions)}</section>
        <section class=${panelClass(state)} aria-labelledby="attention-title">${attentionView(state, actions)}</section>
        <section class=${panelClass(state)} aria-labelledby="gradients-title">${gradientsView(state.shown)}</section>
        <section class=${panelClass(state)} aria-labelledby="learned-title">${resultView(state, actions)}</section>
      </div>
    </div>`;
}

/** @param {State} state */
const panelClass = ({ shown }) => (shown?.stale ? 'panel stale' : 'panel');

/** @param {State} state @param {Actions} actions */
function controlView(state, actions) {
  const { values, checked, layers, playing, step, failure, said, settings, file } = state;
  const task = taskOf(values.task);
  const fields = fieldsOf(task, layers, values, file.table).filter(({ choices }) => choices?.length !== 0);
  const wrong = fields.filter(({ name }) => checked.errors[name]).length;
  const config = Object.fromEntries(fields.map((field) => [field.name, field.default]));
  const store = /** @type {any} */ ({ values, errors: checked.errors, config });
  const show = (/** @type {Element | undefined} */ details) => wrong && details?.setAttribute('open', '');
  const none = checked.plan ? 'false' : 'true';
  return html`
    <h2 id="control-title" class="hidden">Task and settings</h2>
    <div class="field" data-field="task">
      <div class="field-head"><label for="field-task">Task</label><code>${task.layer}</code></div>
      <select id="field-task" name="task" aria-describedby=${checked.errors.task ? 'error-task about-task' : 'about-task'}
        @change=${(/** @type {any} */ event) => actions.set({ task: event.target.value })}>
        ${tasks.map(({ name, title }) => html`<option value=${name} ?selected=${name === task.name} ${follows('selected', name === task.name)}>${title}</option>`)}
      </select>
      <p class="layer-summary" id="about-task">${task.about}</p>
      ${checked.errors.task ? html`<p class="field-error" id="error-task">${checked.errors.task}</p>` : nothing}
    </div>
    ${task.file ? fileView(file, checked, values, actions) : nothing}
    <div class="train-buttons">
      <button class="button primary" type="button" data-action="play" aria-disabled=${playing ? 'false' : none}
        @click=${playing ? actions.pause : actions.play}>${playing ? 'Pause' : 'Play'}</button>
      <button class="button" type="button" data-action="step" aria-disabled=${playing ? 'true' : none} @click=${actions.step}>One step</button>
      <button class="button" type="button" data-action="reset" aria-disabled=${step || playing ? 'false' : 'true'} @click=${actions.reset}>Reset</button>
    </div>
    <p class="hidden" role="status">${said}</p>
    ${failure || checked.errors[''] ? html`<p class="field-error" role="alert">${failure || checked.errors['']}</p>` : nothing}
    <details class="options train-settings" ?open=${settings} ${ref(show)}>
      <summary>Settings <span>${fields.length} fields${wrong ? html`, <b class="wrong">${wrong} wrong</b>` : nothing}</span></summary>
      <form class="fields dense" aria-label="Settings" novalidate @submit=${(/** @type {Event} */ event) => {
        event.preventDefault();
        if (!playing) actions.play();
      }}>${fields.map((field) => fieldView(store, field, actions))}<button class="hidden" type="submit" tabindex="-1" aria-hidden="true">Play</button></form>
    </details>`;
}

/** @param {State} state */
function figuresView({ step, rate, gradientNorm, shown, checked }) {
  const last = shown?.points.at(-1);
  const chance = (shown?.data ?? checked.data)?.chance;
  const { number, unit } = splitBytes(checked.memory);
  return html`
    <div class="figures train-figures" role="group" aria-label="The run in figures">
      ${figure('Step', 'step', formatCount(step), rate ? `${formatSignificant(rate)} steps a second` : 'not yet under way')}
      ${figure('Held-out accuracy', 'accuracy', last ? percent(last.held_accuracy) : '–', `guessing: ${chance === undefined ? '–' : percent(chance)}${last ? `; training: ${percent(last.accuracy)}` : ''}`)}
      ${figure('Gradient norm', 'gradient', step ? formatSignificant(gradientNorm) : '–', 'of all gradients together, in the last step')}
      ${figure('Memory of a step', 'memory', checked.memory ? split({ number, unit }) : '–', shown ? `at its peak; ${formatCount(shown.parameters)} parameters` : 'at its peak')}
    </div>`;
}

/** @type {{ kind: Kind, title: string }[]} */
const CURVES = [
  { kind: 'accuracy', title: 'Accuracy' },
  { kind: 'loss', title: 'Loss' }
];

/** @param {State} state @param {Actions} actions */
function curvesView({ shown, curves, tabled }, actions) {
  return html`
    <div class="panel-head"><h2 id="curves-title" class="panel-title">Curves</h2>
      <ul class="legend train-legend"><li><span class="dash held"></span>held-out data</li><li><span class="dash seen"></span>training</li><li><span class="dash guess"></span>guessing</li></ul></div>
    <div class="train-curves">${CURVES.map(
      ({ kind, title }) => html`
      <figure class="chart" data-chart=${kind}>
        <figcaption>${title} by step</figcaption>
        <div class="plot" role="img" aria-label=${`${title} by step; the figures are in the table below`}>${curves?.[kind] ?? nothing}</div>
      </figure>`
    )}</div>
    ${shown ? tableView(shown, tabled, actions) : html`<p class="note">Nothing has run yet. Play trains, step by step; Pause and go on whenever you like.</p>`}`;
}

/** @param {Shown} shown @param {boolean} open @param {Actions} actions */
const tableView = ({ moments }, open, { table }) => html`
  <details class="twin" @toggle=${(/** @type {any} */ event) => table(event.target.open)}><summary>Curves as a table</summary>
    <div class="scroller" tabindex="0" role="group" aria-label="Curves as a table"><table class="table">
      <thead><tr><th scope="col">Step</th>${['Held-out accuracy', 'Training accuracy', 'Held-out loss', 'Training loss', 'Gradient norm'].map((title) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead>
      <tbody>${(open ? moments : []).map(
        (
          point
        ) => html`<tr><th scope="row">${formatCount(point.step)}</th><td class="num">${percent(point.held_accuracy)}</td><td class="num">${percent(point.accuracy)}</td>
          <td class="num">${formatSignificant(point.held_loss)}</td><td class="num">${formatSignificant(point.loss)}</td><td class="num">${formatSignificant(point.gradient_norm)}</td></tr>`
      )}</tbody></table></div></details>`;

/** @param {State} state @param {Actions} actions */
function attentionView({ shown, map }, { look }) {
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

/** @param {State} state @param {Actions} actions */
function resultView({ shown, playing }, { saveWeights, saveRun }) {
  const last = shown?.points.at(-1);
  const off = shown ? 'false' : 'true';
  return html`
    <div class="panel-head"><h2 id="learned-title" class="panel-title">What was learned</h2></div>
    <p class="train-learned" data-learned>${shown && last ? learnedText(last, shown.data.chance) : 'Nothing has run yet.'}</p>
    <div class="actions">
      <button class="button" type="button" data-action="weights" aria-disabled=${playing ? 'true' : off} @click=${saveWeights}>Weights (.safetensors)</button>
      <button class="button" type="button" data-action="run" aria-disabled=${off} @click=${saveRun}>Run (.csv)</button>
    </div>
    <p class="note">The weights have the names of the PyTorch module that the calculator prints for this layer.</p>`;
}
