// Which numbers go in: a pattern in which there is something to see, or one's own.

import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { isNeeded, ownNumbers } from '../../plain/inputs.js';
import { MOST_COLUMNS, MOST_ROWS, PATTERNS, patternOf } from '../../plain/patterns.js';
import { follows } from '../form/follows.js';

/**
 * @typedef {import('../../plain/inputs.js').Given} Given
 * @typedef {import('../../plain/inputs.js').Input} Input
 * @typedef {(patch: Record<string, string>, edit?: { gesture?: string }) => void} Look
 */

const OWN = 'own';

/**
 * What a link says of the inputs: a pattern, and numbers as `query:1,2;3,4|key:…`.
 * @param {string} pattern @param {string} numbers
 * @returns {Given}
 */
export function givenOf(pattern, numbers) {
  const own = numbers
    .split('|')
    .map((part) => part.split(':'))
    .filter(([name, text]) => name && text)
    .map(([name, text]) => [name, text.replaceAll(';', '\n')]);
  const known = pattern === OWN || patternOf(pattern);
  return { pattern: known ? pattern : PATTERNS[0].name, own: pattern === OWN ? Object.fromEntries(own) : {} };
}

/** @param {Record<string, string>} own */
const numbersText = (own) =>
  Object.entries(own)
    .filter(([, text]) => text.trim())
    .map(
      ([name, text]) =>
        `${name}:${text
          .trim()
          .replace(/\s*[\r\n]+\s*/g, ';')
          .replace(/[\s,]+/g, ',')}`
    )
    .join('|');

/** @param {readonly Input[]} inputs @param {Given} given @param {Look} look */
export function inputsView(inputs, given, look) {
  const floats = inputs.filter((input) => isNeeded(input) && !input.integer);
  if (floats.length === 0) return nothing;
  const about = patternOf(given.pattern)?.about ?? 'A row for each position, with commas, tabs or spaces between.';
  const choices = [...PATTERNS, { name: OWN, title: 'My own numbers' }];
  return html`
    <div class="inputs">
      <label class="inputs-choice">Inputs <select name="input" aria-describedby="inputs-about"
        @change=${(/** @type {any} */ event) => look({ input: event.target.value === PATTERNS[0].name ? '' : event.target.value })}>
        ${choices.map(({ name, title }) => html`<option value=${name} ?selected=${name === given.pattern} ${follows('selected', name === given.pattern)}>${title}</option>`)}
      </select></label>
      <p class="note" id="inputs-about">${about}</p>
      ${given.pattern === OWN ? floats.map((input) => ownView(input, given, look)) : nothing}
    </div>`;
}

/** @param {Input} input @param {Given} given @param {Look} look */
function ownView({ name, shape }, given, look) {
  const [rows, columns] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
  if (rows > MOST_ROWS || columns > MOST_COLUMNS)
    return html`<p class="note"><code>${name}</code> has ${rows} positions of ${columns} features; up to ${MOST_ROWS} of ${MOST_COLUMNS} can be given by hand. It is drawn at random.</p>`;
  const text = given.own[name] ?? '';
  const error = messageOf(name, shape, given);
  const type = (/** @type {any} */ event) =>
    look({ numbers: numbersText({ ...given.own, [name]: event.target.value }) }, { gesture: `box:${name}` });
  return html`
    <label class="own" for=${`own-${name}`}><code>${name}</code> ${rows} rows of ${columns}${text ? nothing : ', random while empty'}</label>
    <textarea class="import-text own-text" id=${`own-${name}`} rows=${Math.min(rows, 8)} spellcheck="false" autocomplete="off" wrap="off"
      .value=${live(text)} aria-invalid=${error ? 'true' : 'false'} aria-describedby=${`own-error-${name}`} @change=${type}></textarea>
    <p class="field-error" id=${`own-error-${name}`} role="alert">${error}</p>`;
}

/** @param {string} name @param {number[]} shape @param {Given} given */
function messageOf(name, shape, given) {
  try {
    ownNumbers(name, shape, given);
    return '';
  } catch (error) {
    return /** @type {Error} */ (error).message;
  }
}
