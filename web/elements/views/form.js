// The form, made from the registry's fields: one number box with a slider, one switch, or one row of choices a field.

import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { fieldLabel, nearestStop, parseField, sliderStops } from '../state/fields.js';
import { formatCount } from '../format.js';

/**
 * @typedef {import('../state/store.js').Store} Store
 * @typedef {import('../state/fields.js').Field} Field
 * @typedef {{ set: (patch: Record<string, unknown>, edit?: { gesture?: string }) => void, calculate: () => void }} Actions
 */

/** @param {Store} store @param {Actions} actions */
export function formView(store, actions) {
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    actions.calculate();
  };
  return html`
    <form class="form" aria-label="Layer" novalidate @submit=${submit}>
      ${layerField(store, actions)}
      ${store.layer.fields.map((field) => fieldView(store, field, actions))}
      ${store.errors[''] ? html`<p class="field-error" role="alert">${store.errors['']}</p>` : nothing}
      ${store.unknown.length ? html`<p class="note">The link has ${store.unknown.join(', ')}, which no field is called. It was left out.</p>` : nothing}
      <button class="button primary wide" type="submit">Calculate</button>
      <p class="form-help">${store.layer.summary}</p>
    </form>`;
}

/** @param {Store} store @param {Actions} actions */
function layerField(store, actions) {
  const groups = [...new Set(store.layers.map(({ group }) => group))];
  const chosen = store.layer.name;
  return html`
    <div class="field" data-field="layer">
      <div class="field-head"><label for="field-layer">Layer</label><code>layer</code></div>
      <select id="field-layer" name="layer" aria-describedby=${describedBy(store, 'layer')}
        @change=${(/** @type {any} */ event) => actions.set({ layer: event.target.value })}>
        ${groups.map((group) => html`<optgroup label=${group[0].toUpperCase() + group.slice(1)}>
          ${store.layers.filter((layer) => layer.group === group).map(({ name, title }) =>
            html`<option value=${name} .selected=${live(name === chosen)} ?selected=${name === chosen}>${title}</option>`)}</optgroup>`)}
      </select>
      <p class="field-meaning" id="meaning-layer">${store.layer.summary}</p>
      ${errorText(store, 'layer')}
    </div>`;
}

/** @param {Store} store @param {Field} field @param {Actions} actions */
function fieldView(store, field, actions) {
  if (field.type === 'integer') return integerField(store, field, actions);
  if (field.type === 'boolean') return booleanField(store, field, actions);
  return choiceField(store, field, actions);
}

/** @param {Store} store @param {Field} field @param {Actions} actions */
function integerField(store, field, actions) {
  const { name } = field;
  const raw = store.values[name] ?? field.default;
  const value = Number(parseField(field, raw));
  const stops = sliderStops(field);
  const shown = store.errors[name] || !(value > 0) ? Number(store.config[name] ?? field.default) : value;
  const stop = nearestStop(stops, shown);
  const gesture = `box:${name}`;
  const type = (/** @type {any} */ event) => actions.set({ [name]: event.target.value }, { gesture });
  const slide = (/** @type {any} */ event) => actions.set({ [name]: stops[event.target.value] }, { gesture: `slider:${name}` });
  const nudge = (/** @type {KeyboardEvent} */ event) => {
    const next = nudged(value, event);
    if (next === null) return;
    event.preventDefault();
    actions.set({ [name]: next }, { gesture });
  };
  return html`
    <div class="field" data-field=${name}>
      <div class="field-head">
        <label for=${`field-${name}`}>${fieldLabel(name)}</label><code>${name}</code>
        <input class="number" id=${`field-${name}`} name=${name} type="text" inputmode="numeric" autocomplete="off"
          spellcheck="false" .value=${live(String(raw))} aria-invalid=${store.errors[name] ? 'true' : 'false'}
          aria-describedby=${describedBy(store, name)} @input=${type} @keydown=${nudge}>
      </div>
      <input class="slider" type="range" min="0" max=${stops.length - 1} step="1" .value=${live(String(stop))}
        aria-label=${`${fieldLabel(name)}, slider`} aria-valuetext=${formatCount(stops[stop])} @input=${slide}>
      <p class="field-meaning" id=${`meaning-${name}`}>${field.meaning}</p>
      ${errorText(store, name)}
    </div>`;
}

/** Arrow keys count by one, with Shift by ten. @param {number} value @param {KeyboardEvent} event */
function nudged(value, event) {
  if (!Number.isInteger(value) || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return null;
  return Math.max(1, value + (event.key === 'ArrowUp' ? 1 : -1) * (event.shiftKey ? 10 : 1));
}

/** @param {Store} store @param {Field} field @param {Actions} actions */
function booleanField(store, field, actions) {
  const { name } = field;
  const checked = parseField(field, store.values[name] ?? field.default) === true;
  return html`
    <div class="field" data-field=${name}>
      <div class="field-head">
        <label for=${`field-${name}`}>${fieldLabel(name)}</label><code>${name}</code>
        <input class="switch" id=${`field-${name}`} name=${name} type="checkbox" role="switch" .checked=${live(checked)} ?checked=${checked}
          aria-describedby=${describedBy(store, name)}
          @change=${(/** @type {any} */ event) => actions.set({ [name]: event.target.checked })}>
      </div>
      <p class="field-meaning" id=${`meaning-${name}`}>${field.meaning}</p>
      ${errorText(store, name)}
    </div>`;
}

/** @param {Store} store @param {Field} field @param {Actions} actions */
function choiceField(store, field, actions) {
  const { name } = field;
  const choices = (field.choices ?? []).map((value) => ({ value, text: value }));
  return html`
    <fieldset class="field" data-field=${name} aria-describedby=${describedBy(store, name)}>
      <legend class="field-head"><span>${fieldLabel(name)}</span><code>${name}</code></legend>
      ${segments(name, choices, String(store.values[name] ?? field.default), (value) => actions.set({ [name]: value }))}
      <p class="field-meaning" id=${`meaning-${name}`}>${field.meaning}</p>
      ${errorText(store, name)}
    </fieldset>`;
}

/**
 * Radio buttons in a row.
 * @param {string} name @param {{ value: string, text: string }[]} choices @param {string} chosen
 * @param {(value: string) => void} select
 */
export const segments = (name, choices, chosen, select) => html`
  <div class="segments">
    ${choices.map(({ value, text }) => html`
      <label><input type="radio" name=${name} value=${value} .checked=${live(value === chosen)} ?checked=${value === chosen}
        @change=${() => select(value)}><span>${text}</span></label>`)}
  </div>`;

/** @param {Store} store @param {string} name */
const errorText = (store, name) =>
  (store.errors[name] ? html`<p class="field-error" id=${`error-${name}`}>${store.errors[name]}</p>` : nothing);

/** @param {Store} store @param {string} name */
const describedBy = (store, name) => (store.errors[name] ? `error-${name} meaning-${name}` : `meaning-${name}`);
