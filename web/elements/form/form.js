// The form, made from the registry's fields: one number box (a size has a slider too), one switch, or one row of
// choices a field.

import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { fieldLabel, fieldSections, isSize, nearestStop, parseField, sliderStops } from '../../plain/fields.js';
import { formatCount } from '../../plain/format.js';
import { follows } from './follows.js';
import { opensWhereWrong, wrongText } from './wrong.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../../plain/fields.js').Field} Field
 * @typedef {Pick<Store, 'values' | 'errors' | 'config'>} Fields what was entered, what is wrong with it, and what was
 *   right last
 * @typedef {{ set: (patch: Record<string, unknown>, edit?: import('../../plain/store.js').Edit) => void,
 *   calculate: () => void }} Actions
 */

const MAX_ROOMY_SIZES = 6;

/** @param {Store} store @param {Actions} actions */
export function formView(store, actions) {
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    actions.calculate();
  };
  const { kind, sizes, options, format, folded } = fieldSections(store.layer);
  const view = (/** @type {Field} */ field) => fieldView(store, field, actions);
  return html`
    <form class="form" aria-label="Layer" novalidate @submit=${submit} @pointerover=${explain} @pointerleave=${explain}
      @focusin=${explain} @focusout=${explain}>
      ${layerField(store, actions)}
      ${kind.map(view)}
      <div class=${sizes.length > MAX_ROOMY_SIZES ? 'fields dense' : 'fields'}>${sizes.map(view)}</div>
      ${folded ? optionsView(store, options, view) : shownOptions(options, view)}
      ${format.map(view)}
      ${store.errors[''] ? html`<p class="field-error" role="alert">${store.errors['']}</p>` : nothing}
      <div class="form-foot">
        <button class="hidden" type="submit" tabindex="-1" aria-hidden="true">Show the answer</button>
        <p class="form-about" aria-hidden="true"></p>
        <p class="form-help">Point at a field to read what it means. Shift and arrow keys count by ten.</p>
      </div>
    </form>`;
}

/**
 * Says at the form's foot what the field means that is pointed at, or else the one in focus. A field that comes into
 * focus is then scrolled to above the foot, however tall it has become.
 * @param {Event} event
 */
function explain({ type, target, currentTarget }) {
  const form = /** @type {HTMLFormElement} */ (currentTarget);
  const pointed = type === 'pointerover' ? /** @type {Element} */ (target).closest('.field-head')?.parentElement : null;
  const meaning = (pointed ?? form.querySelector('.field:focus-within'))?.querySelector('.field-meaning');
  form
    .querySelector('.form-about')
    ?.replaceChildren(...[...(meaning?.childNodes ?? [])].map((node) => node.cloneNode(true)));
  const foot = /** @type {HTMLElement} */ (form.querySelector('.form-foot'));
  form.style.setProperty('--form-foot', `${foot.offsetHeight}px`);
  if (type === 'focusin') /** @type {Element} */ (target).scrollIntoView({ block: 'nearest' });
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
        ${groups.map(
          (group) => html`<optgroup label=${group[0].toUpperCase() + group.slice(1)}>
          ${store.layers
            .filter((layer) => layer.group === group)
            .map(
              ({ name, title }) =>
                html`<option value=${name} ?selected=${name === chosen} ${follows('selected', name === chosen)}>${title}</option>`
            )}</optgroup>`
        )}
      </select>
      <p class="layer-summary" id="meaning-layer">${store.layer.summary}</p>
      ${errorText(store, 'layer')}
    </div>`;
}

/**
 * A template, not a list: where a list takes the place of a template that holds a `ref`, as that of folded options
 * does, Lit 3.3 keeps what was there before.
 * @param {Field[]} options @param {(field: Field) => unknown} view
 */
const shownOptions = (options, view) => html`${options.map(view)}`;

/** @param {Store} store @param {Field[]} options @param {(field: Field) => unknown} view */
function optionsView(store, options, view) {
  const wrong = options.filter(({ name }) => store.errors[name]).length;
  const changed = options.filter(
    (field) => parseField(field, store.values[field.name] ?? field.default) !== field.default
  ).length;
  return html`
    <details class="options" ${opensWhereWrong(wrong)}>
      <summary>Options <span>${options.length} fields${changed ? html`, <b>${changed} changed</b>` : nothing}${wrongText(wrong)}</span></summary>
      <div class="fields dense">${options.map(view)}</div>
    </details>`;
}

/**
 * @param {Fields} store
 * @param {Field} field
 * @param {Pick<Actions, 'set'>} actions
 */
export function fieldView(store, field, actions) {
  if (field.type === 'boolean') return booleanField(store, field, actions);
  if (field.type === 'choice') return choiceField(store, field, actions);
  return numberField(store, field, actions);
}

/** @param {Fields} store @param {Field} field @param {Pick<Actions, 'set'>} actions */
function numberField(store, field, actions) {
  const { name } = field;
  const raw = store.values[name] ?? field.default;
  const gesture = `box:${name}`;
  const type = (/** @type {any} */ event) => actions.set({ [name]: event.target.value }, { gesture });
  const nudge = (/** @type {KeyboardEvent} */ event) => {
    const next = nudged(field, parseField(field, raw), event);
    if (next === null) return;
    event.preventDefault();
    actions.set({ [name]: next }, { gesture });
  };
  return html`
    <div class="field" data-field=${name}>
      <div class="field-head">
        <label for=${`field-${name}`}>${fieldLabel(name)}</label><code>${name}</code>
        <input class="number" id=${`field-${name}`} name=${name} type="text"
          inputmode=${field.type === 'integer' ? 'numeric' : 'decimal'} autocomplete="off"
          spellcheck="false" placeholder=${field.optional ? 'default' : nothing} .value=${live(fieldText(raw))}
          aria-invalid=${store.errors[name] ? 'true' : 'false'} aria-describedby=${describedBy(store, name)}
          @input=${type} @keydown=${nudge}>
      </div>
      ${isSize(field) ? slider(store, field, actions) : nothing}
      ${meaningText(field)}
      ${errorText(store, name)}
    </div>`;
}

/** `1e-6` for the number 0.000001, nothing for null, and what was typed as it is. @param {unknown} raw */
function fieldText(raw) {
  if (typeof raw === 'number' && raw !== 0 && Math.abs(raw) < 1e-3) return raw.toExponential();
  return String(raw ?? '');
}

/** @param {Fields} store @param {Field} field @param {Pick<Actions, 'set'>} actions */
function slider(store, field, actions) {
  const { name } = field;
  const value = Number(parseField(field, store.values[name] ?? field.default));
  const stops = sliderStops(field);
  const shown = store.errors[name] || !(value >= 0) ? Number(store.config[name] ?? field.default) : value;
  const stop = nearestStop(stops, shown);
  const slide = (/** @type {any} */ event) =>
    actions.set({ [name]: stops[event.target.value] }, { gesture: `slider:${name}` });
  return html`<input class="slider" type="range" min="0" max=${stops.length - 1} step="1" .value=${live(String(stop))}
    aria-label=${`${fieldLabel(name)}, slider`} aria-valuetext=${formatCount(stops[stop])} @input=${slide}>`;
}

/**
 * Arrow keys count integers by one, with Shift by ten.
 * @param {Field} field
 * @param {unknown} value
 * @param {KeyboardEvent} event
 */
function nudged({ type, min = 1 }, value, { key, shiftKey }) {
  if (
    type !== 'integer' ||
    typeof value !== 'number' ||
    !Number.isInteger(value) ||
    (key !== 'ArrowUp' && key !== 'ArrowDown')
  )
    return null;
  return Math.max(min, value + (key === 'ArrowUp' ? 1 : -1) * (shiftKey ? 10 : 1));
}

/** @param {Fields} store @param {Field} field @param {Pick<Actions, 'set'>} actions */
function booleanField(store, field, actions) {
  const { name } = field;
  const checked = parseField(field, store.values[name] ?? field.default) === true;
  return html`
    <div class="field" data-field=${name}>
      <div class="field-head switched">
        <label for=${`field-${name}`}>${fieldLabel(name)}</label><code>${name}</code>
        <input class="switch" id=${`field-${name}`} name=${name} type="checkbox" role="switch" ?checked=${checked}
          ${follows('checked', checked)}
          aria-describedby=${describedBy(store, name)}
          @change=${(/** @type {any} */ event) => actions.set({ [name]: event.target.checked })}>
      </div>
      ${meaningText(field)}
      ${errorText(store, name)}
    </div>`;
}

const MAX_SEGMENTS = 4;
const MAX_SEGMENT_LETTERS = 30; // of all together

/** @param {Fields} store @param {Field} field @param {Pick<Actions, 'set'>} actions */
function choiceField(store, field, actions) {
  const { name, choices = [] } = field;
  const chosen = String(store.values[name] ?? field.default);
  const select = (/** @type {string} */ value) => actions.set({ [name]: value });
  if (choices.length > MAX_SEGMENTS || choices.join('').length > MAX_SEGMENT_LETTERS) {
    return html`
      <div class="field" data-field=${name}>
        <div class="field-head"><label for=${`field-${name}`}>${fieldLabel(name)}</label><code>${name}</code></div>
        <select id=${`field-${name}`} name=${name} aria-describedby=${describedBy(store, name)}
          @change=${(/** @type {any} */ event) => select(event.target.value)}>
          ${choices.map((value) => html`<option value=${value} ?selected=${value === chosen} ${follows('selected', value === chosen)}>${value}</option>`)}
        </select>
        ${meaningText(field)}
        ${errorText(store, name)}
      </div>`;
  }
  return html`
    <fieldset class="field wide" data-field=${name} aria-describedby=${describedBy(store, name)}>
      <legend class="field-head"><span>${fieldLabel(name)}</span><code>${name}</code></legend>
      ${segments(
        name,
        choices.map((value) => ({ value, text: value })),
        chosen,
        select
      )}
      ${meaningText(field)}
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
    ${choices.map(
      ({ value, text }) => html`
      <label><input type="radio" name=${name} value=${value} ?checked=${value === chosen} ${follows('checked', value === chosen)}
        @change=${() => select(value)}><span>${text}</span></label>`
    )}
  </div>`;

/** Read out by screen readers; on the screen the same text stands at the form's foot. @param {Field} field */
const meaningText = (field) => html`
  <p class="field-meaning hidden" id=${`meaning-${field.name}`}><code>${field.name}</code> ${field.meaning}${rangeText(field)}</p>`;

/** Of a number, whose range no slider shows. @param {Field} field */
const rangeText = ({ type, min, max, above_min }) => {
  if (type !== 'number') return nothing;
  return above_min ? ` Above ${min}, at most ${max}.` : ` From ${min} to ${max}.`;
};

/** @param {Fields} store @param {string} name */
const errorText = (store, name) =>
  store.errors[name] ? html`<p class="field-error" id=${`error-${name}`}>${store.errors[name]}</p>` : nothing;

/** @param {Fields} store @param {string} name */
const describedBy = (store, name) => (store.errors[name] ? `error-${name} meaning-${name}` : `meaning-${name}`);
