// A lab as it stands on its page: settings and links at the side, the sentence and the figure beside them.

import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { settingsOf } from '../../plain/labs/settings.js';
import { nearestStop } from '../../plain/fields.js';
import { segments } from '../form/form.js';
import { copyButton, saidView } from '../shared/copy-button.js';

/**
 * @typedef {import('./labs.js').Lab} Lab
 * @typedef {import('../../plain/labs/settings.js').Setting} Setting
 * @typedef {import('../../plain/labs/settings.js').Values} Values
 * @typedef {{ lab: Lab, data: any, values: Values, entered: Record<string, unknown>, errors: Record<string, string>,
 *   leftOut: readonly string[], failure: string, said: string, live: boolean, root: string }} State
 *   `entered`: as it was typed; `leftOut`: what the link asks for and cannot have; `root`: the way to the site's first
 *   page
 * @typedef {{ set: (patch: Record<string, unknown>, gesture?: any) => void, settle: () => void, copy: () => void }}
 *   Actions
 */

/** @param {State} state @param {Actions} actions */
export function labView(state, actions) {
  const { lab, data, values, errors, leftOut, failure, said, live: isLive, root } = state;
  const shown = settingsOf(lab.settings, values);
  const isOld = failure !== '' || shown.some(({ name }) => errors[name]);
  const stale = isOld ? ' stale' : '';
  const figure = { live: isLive, set: actions.set };
  const prevent = (/** @type {Event} */ event) => event.preventDefault();
  return html`
    <div class="lab">
      <form class="lab-settings" aria-label="Settings" novalidate @submit=${prevent} @change=${actions.settle}>
        ${shown.map((setting) => settingView(setting, state, actions))}
      </form>
      <div class="lab-main">
        ${leftOut.length ? html`<p class="stale-note" role="status">The link is not followed in all: ${leftOut.join('; ')}.</p>` : nothing}
        ${failure ? html`<p class="field-error" role="alert">${failure}</p>` : nothing}
        ${isOld ? html`<p class="stale-note" role="status" data-old>This is of the last valid values.</p>` : nothing}
        <p class=${`lab-notice${stale}`} role="status">${lab.notice(data, values)}</p>
        <div class=${`panel lab-figure${stale}`}>${lab.figure(data, figure)}</div>
      </div>
      <div class="lab-links">
        <div class="actions">${linksView(lab.layer(data), root)}
          ${isLive ? copyButton({ label: 'Copy link', said, copy: actions.copy, small: true }) : nothing}${saidView(said)}</div>
      </div>
    </div>`;
}

/**
 * The layer of the figure on the pages that size and run it.
 * @param {Record<string, unknown>} config @param {string} root
 */
function linksView(config, root) {
  const search = new URLSearchParams(Object.entries(config).map(([name, value]) => [name, String(value)]));
  return html`
    <a class="button small" data-open="calculator" href=${`${root}?${search}`}>Open in the calculator</a>
    <a class="button small" data-open="run" href=${`${root}run/?${search}`}>Run it</a>`;
}

/**
 * A setting with what is wrong with it.
 * @param {Setting} setting
 * @param {Pick<State, 'values' | 'entered' | 'errors'>} state @param {Pick<Actions, 'set'>} actions
 */
export function settingView(setting, state, actions) {
  const { name, label } = setting;
  if (setting.kind === 'choice')
    return html`
      <fieldset class=${`field ${arrangement(setting.choices)}`} data-field=${name}>
        <legend class="field-head">${label}</legend>
        ${segments(name, [...setting.choices], state.values[name], (value) => actions.set({ [name]: value }))}
        ${errorView(state, name)}
      </fieldset>`;
  return setting.kind === 'text' ? nothing : numberView(setting, state, actions);
}

/** In how many columns choices stand, where they are many or long. @param {readonly { text: string }[]} choices */
function arrangement(choices) {
  if (choices.length > 4) return choices.length > 6 ? 'in-fours' : 'in-threes';
  return choices.map(({ text }) => text).join('').length > MOST_LETTERS ? 'in-ones' : '';
}

const MOST_LETTERS = 32;

/** @typedef {Pick<State, 'values' | 'entered' | 'errors'>} Fields */

/**
 * A box, and a slider where there are stops.
 * @param {import('../../plain/labs/settings.js').Integer | import('../../plain/labs/settings.js').Decimal} setting
 * @param {Fields} state @param {Pick<Actions, 'set'>} actions
 */
function numberView(setting, state, { set }) {
  const { name, label, kind } = setting;
  const stops = kind === 'integer' ? setting.stops : undefined;
  const type = (/** @type {any} */ event) => set({ [name]: event.target.value }, `box:${name}`);
  return html`
    <div class="field" data-field=${name}>
      <div class="field-head"><label for=${`setting-${name}`}>${label}</label>
        <input class="number" id=${`setting-${name}`} name=${name} type="text" inputmode=${kind === 'integer' ? 'numeric' : 'decimal'} autocomplete="off"
          spellcheck="false" placeholder=${kind === 'integer' && setting.optional ? 'any' : nothing} .value=${live(String(state.entered[name] ?? ''))} aria-invalid=${state.errors[name] ? 'true' : 'false'}
          aria-describedby=${state.errors[name] ? `error-${name}` : nothing} @input=${type}></div>
      ${stops ? sliderView({ name, label, stops }, state, set) : nothing}
      ${errorView(state, name)}
    </div>`;
}

/**
 * @param {{ name: string, label: string, stops: readonly number[] }} setting
 * @param {Fields} state @param {Actions['set']} set
 */
function sliderView({ name, label, stops }, { values }, set) {
  const stop = nearestStop([...stops], values[name]);
  const slide = (/** @type {any} */ event) => set({ [name]: stops[event.target.value] }, `slider:${name}`);
  return html`<input class="slider" type="range" min="0" max=${stops.length - 1} step="1" .value=${live(String(stop))}
    aria-label=${`${label}, slider`} aria-valuetext=${String(stops[stop])} @input=${slide}>`;
}

/** @param {Fields} state @param {string} name */
const errorView = ({ errors }, name) =>
  errors[name] ? html`<p class="field-error" id=${`error-${name}`} role="alert">${errors[name]}</p>` : nothing;
