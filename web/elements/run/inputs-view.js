// Which numbers go in: a pattern in which there is something to see, or one's own.

import { html, nothing } from 'lit';
import { OWN, isNeeded, writeOwn } from '../../plain/inputs.js';
import { MOST_COLUMNS, MOST_ROWS, isSmall, planeOf } from '../../plain/own-numbers.js';
import { PATTERNS, patternOf } from '../../plain/patterns.js';
import { follows } from '../form/follows.js';
import './number-grid.js';

/**
 * @typedef {import('../../plain/inputs.js').Given} Given
 * @typedef {import('../../plain/inputs.js').Input & { axes?: readonly string[] }} Input
 * @typedef {(patch: Record<string, string>, edit?: { gesture?: string }) => void} Look
 */

/** The inputs that can have a pattern. @param {readonly Input[]} inputs */
const floatsOf = (inputs) => inputs.filter((input) => isNeeded(input) && !input.integer);

/**
 * @param {readonly Input[]} inputs @param {Given} given @param {Look | null} look null before any script
 */
export function inputsView(inputs, given, look) {
  if (floatsOf(inputs).length === 0) return nothing;
  const about = patternOf(given.pattern)?.about ?? 'Numbers that you type or paste, for each position and feature.';
  const choices = [...PATTERNS, { name: OWN, title: 'My own numbers' }];
  return html`
    <div class="inputs">
      <label class="inputs-choice">Inputs <select name=${look ? 'inputs' : nothing} aria-describedby="inputs-about"
        @change=${(/** @type {any} */ event) => look?.({ inputs: event.target.value === PATTERNS[0].name ? '' : event.target.value })}>
        ${choices.map(({ name, title }) => html`<option value=${name} ?selected=${name === given.pattern} ${follows('selected', name === given.pattern)}>${title}</option>`)}
      </select></label>
      <p class="note" id="inputs-about">${about}</p>
    </div>`;
}

/**
 * The cells of one's own numbers, an input after the other; nothing where a pattern is chosen.
 * @param {readonly Input[]} inputs
 * @param {Given} given with numbers for each small input
 * @param {Given} typed those that somebody typed
 * @param {{ look: Look, small: Record<string, number> | null, set: (patch: Record<string, unknown>) => void }} actions
 *   `small`: sizes with which the layer can be given numbers by hand
 */
export function ownView(inputs, given, typed, { look, small, set }) {
  if (given.pattern !== OWN) return nothing;
  const floats = floatsOf(inputs);
  const large = floats.filter(({ shape }) => !isSmall(shape));
  return html`
    <div class="run-numbers" role="group" aria-label="My own numbers">
      ${floats
        .filter(({ shape }) => isSmall(shape))
        .map(
          ({ name, shape }) => html`<attnscope-numbers .name=${name} .shape=${shape} .cells=${given.own[name]}
            @numbers-change=${(/** @type {CustomEvent} */ { detail }) =>
              look(
                { numbers: writeOwn({ ...typed.own, [name]: detail.cells }) },
                { gesture: `box:${name}` }
              )}></attnscope-numbers>`
        )}
      ${floats.length > large.length ? helpView(floats) : nothing}
      ${large.length ? largeView(large, small, set) : nothing}
    </div>`;
}

/** @param {readonly Input[]} inputs */
function helpView(inputs) {
  const leading = inputs.flatMap(({ axes = [], shape }) => axes.slice(0, -2).filter((_, at) => shape[at] > 1));
  const every = [...new Set(leading)].join(' and ');
  return html`<p class="note" id="numbers-help">Rows are positions, columns are features. Tab leads to the next cell, Enter to the next
    line, arrow keys anywhere; Escape, then Tab leaves. A block from a spreadsheet can be pasted.${every ? ` The same numbers stand in every ${every}.` : nothing}</p>`;
}

/**
 * @param {readonly Input[]} large
 * @param {Record<string, number> | null} small
 * @param {(patch: Record<string, unknown>) => void} set
 */
const largeView = (large, small, set) => html`
  <div class="numbers-large">
    ${large.map(({ name, shape }) => {
      const [rows, columns] = planeOf(shape);
      return html`<p><code>${name}</code> has ${rows} positions of ${columns} features. By hand there can be ${MOST_ROWS} of
        ${MOST_COLUMNS} at the most, so it is drawn at random.</p>`;
    })}
    ${
      small
        ? html`<button class="button" type="button" data-action="small" @click=${() => set(small)}>Take a layer small enough: ${Object.entries(
            small
          )
            .map(([name, value]) => `${name} ${value}`)
            .join(', ')}</button>`
        : nothing
    }
  </div>`;

const SMALL = /** @type {Record<string, number>} */ ({
  batch_size: 1,
  seq_len: 4,
  kv_len: 4,
  past_len: 0,
  hidden_size: 4,
  num_heads: 1,
  num_kv_heads: 1,
  head_dim: 4,
  kdim: 4,
  vdim: 4
});

/**
 * Those sizes of a configuration that are too large for numbers by hand, as small ones; null where that is no layer.
 * @param {any} config @param {(config: any) => string} refusal
 */
export function smallSizes(config, refusal) {
  const small = Object.fromEntries(
    Object.entries(SMALL).filter(([name, value]) => typeof config[name] === 'number' && config[name] > value)
  );
  return refusal({ ...config, ...small }) ? null : small;
}
