// The context and the number of sequences that caches are sized for: read from the link, and the two boxes.

import { html } from 'lit';
import { live } from 'lit/directives/live.js';
import { formatCount } from '../../plain/format.js';
import { quoted } from '../../plain/search.js';

/** @typedef {import('../../plain/store.js').Store} Store */

const POSITIONS = 8192;

/**
 * @typedef {{ context: number, sequences: number }} Length positions of each sequence in the cache
 */

const MOST = 2 ** 31 - 1;
/** Digits that are kept of what is typed: no number has more. */
const LONGEST = 64;

/**
 * What was entered for the length of the cache; the default where that is no such number, with what is wrong with it.
 * @param {Record<string, string>} aside of the store
 */
export function cacheLength({ context, sequences }) {
  const read = (/** @type {string | undefined} */ text, /** @type {number} */ fallback) => {
    const number = Number(text ?? fallback);
    return Number.isInteger(number) && number >= 1 && number <= MOST ? number : null;
  };
  const [length, count] = [read(context, POSITIONS), read(sequences, 1)];
  const wrong = (/** @type {string} */ name, /** @type {string} */ text) =>
    `${name} must be an integer from 1 to ${formatCount(MOST)}, got ${quoted(text)}`;
  return {
    context: length ?? POSITIONS,
    sequences: count ?? 1,
    errors: {
      context: length === null ? wrong('context', context) : '',
      sequences: count === null ? wrong('sequences', sequences) : ''
    }
  };
}

/**
 * @param {Store} store @param {'context' | 'sequences'} name @param {string} title @param {number} value
 * @param {string} error
 */
const lengthField = (store, name, title, value, error) => html`
  <label class="seed">${title} <input class="number" name=${name} inputmode="numeric" autocomplete="off" .value=${live(store.aside[name] ?? String(value))}
    aria-invalid=${error ? 'true' : 'false'} aria-describedby=${`error-${name}`}
    @input=${(/** @type {any} */ event) => store.look({ [name]: event.target.value.trim().slice(0, LONGEST) }, { gesture: `box:${name}` })}></label>
  <p class="field-error" id=${`error-${name}`} role="alert">${error}</p>`;

/** @param {Store} store */
export function lengthFields(store) {
  const { errors, context, sequences } = cacheLength(store.aside);
  return html`
    <div class="cache-length">
      ${lengthField(store, 'context', 'Context', context, errors.context)}
      ${lengthField(store, 'sequences', 'Sequences', sequences, errors.sequences)}
    </div>`;
}
