// What each variant looks at, on the same axes: its weights, gradient × input, and what is lost when a day is blank.

import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { ref } from 'lit/directives/ref.js';
import { shareText } from '../../../plain/attention-or-dense/minute-words.js';
import { segments } from '../../form/form.js';
import { follows } from '../../form/follows.js';
import { dayBars } from './day-bars.js';
import { lineKey } from './lines.js';

/**
 * @typedef {{ weights: readonly number[] | null, gradients: readonly number[], lost: readonly number[],
 *   decisive?: number | null }} Seen `decisive`: the share of attention on the days that decide
 * @typedef {{ title: string, seen: Seen | null, said: string, unweighed: string }} Row `said`: what it says of the one
 *   example; `unweighed`: why it has no weights of days
 * @typedef {'all' | 'one' | 'own'} Mode all held-out examples, one, or a text of the reader's own
 *
 * @typedef {object} LooksState
 * @property {readonly Row[]} rows
 * @property {Mode} mode
 * @property {number} index of the one example
 * @property {number} seed whose run is asked
 * @property {readonly number[]} seeds
 * @property {string} text of the reader's own
 * @property {string} asks what its box is called, '' where a task takes none
 * @property {string} about the example
 * @property {boolean} ready whether runs can be asked
 * @property {string} problem
 * @property {readonly number[]} marked days that decide
 * @property {readonly string[] | null} words of each place, where they have some
 * @property {(at: number, count: number) => string} places how they are called
 * @property {'share' | 'error'} unit of what is lost
 *
 * @typedef {object} LooksActions
 * @property {(mode: Mode) => void} choose
 * @property {(by: number) => void} turn to another example
 * @property {(seed: number) => void} ask of another seed
 * @property {(text: string) => void} type
 */

const COLUMNS = /** @type {const} */ ([
  { name: 'weights', title: 'Attention weights' },
  { name: 'gradients', title: 'Gradient × input' },
  { name: 'lost', title: 'Lost when blank' }
]);
const ABOUT = {
  weights: 'their share; dense layers have none',
  gradients: 'its share: how the answer hangs on it'
};

/** Meaning of `lost`, by the examples that are looked at and by the kind of answer. */
const LOST = {
  share: {
    all: 'of the score, when it is set to 0',
    one: 'of the right class’s lead, in logits, when it is set to 0',
    own: 'of the lead of the class that it says, in logits, when it is set to 0'
  },
  error: {
    all: 'growth of the error, when it is set to 0',
    one: 'how far the number moves, in its standard deviations, when it is set to 0',
    own: 'how far the number moves, in its standard deviations, when it is set to 0'
  }
};

/** @param {LooksState} state @param {LooksActions} actions */
export function looksView(state, actions) {
  const { rows, mode, problem, ready } = state;
  const seen = rows.flatMap((row) => row.seen ?? []);
  const most = (/** @type {number[]} */ values) => Math.max(0, ...values);
  const shares = most(seen.flatMap(({ weights, gradients }) => [...(weights ?? []), ...gradients]));
  const top = { weights: shares, gradients: shares, lost: most(seen.flatMap(({ lost }) => [...lost])) };
  return html`
    <div class="panel-head"><h2 class="panel-title" id="looks-title">What each looks at</h2>${controls(state, actions)}</div>
    ${mode === 'own' ? ownView(state, actions) : nothing}
    ${problem ? html`<p class="field-error" role="alert">${problem}</p>` : nothing}
    ${seen.length === 0 && !problem ? html`<p class="note">${mode === 'own' && ready ? TYPE : NOTHING[mode]}</p>` : nothing}
    <div class="looks" role="table" aria-labelledby="looks-title" ?hidden=${seen.length === 0}>
      <div class="looks-row looks-head" role="row"><span role="columnheader"><span class="hidden">Layer</span></span>${COLUMNS.map(
        ({ title, name }) =>
          html`<span role="columnheader"><b>${title}</b> <small>${name === 'lost' ? LOST[state.unit][mode] : ABOUT[name]}</small></span>`
      )}</div>
      ${rows.map((row, at) => rowView(row, at, top, state))}
    </div>`;
}

const TYPE = 'Type something above, and every layer is asked about it.';
const NOTHING = {
  all: 'This is known once runs have made all their steps.',
  one: 'Play, or make one step: then every layer can be asked about one example.',
  own: 'Play, or make one step: then every layer can be asked about what you type.'
};

/** @param {LooksState} state @param {LooksActions} actions */
function controls({ mode, index, seed, seeds, about, asks }, { choose, turn, ask }) {
  const modes = [
    { value: 'all', text: 'All held-out examples' },
    { value: 'one', text: 'One example' },
    ...(asks ? [{ value: 'own', text: 'Your own' }] : [])
  ];
  return html`<div class="actions">
    ${
      mode === 'one'
        ? html`<span class="looks-about">${about}</span>
      <button class="button small" type="button" data-action="example-before" aria-label="The example before" aria-disabled=${index > 0 ? 'false' : 'true'} @click=${() => turn(-1)}>‹</button>
      <button class="button small" type="button" data-action="example-after" aria-label="The next example" @click=${() => turn(1)}>›</button>`
        : nothing
    }
    ${
      mode !== 'all' && seeds.length > 1
        ? html`<label class="looks-seed">Seed <select @change=${(/** @type {any} */ event) => ask(Number(event.target.value))}>${seeds.map(
            (value) =>
              html`<option value=${value} ?selected=${value === seed} ${follows('selected', value === seed)}>${value}</option>`
          )}</select></label>`
        : nothing
    }
    <fieldset class="inline"><legend class="hidden">Of which examples</legend>${segments('looks-of', modes, mode, (value) => choose(/** @type {Mode} */ (value)))}</fieldset>
  </div>`;
}

/** @param {LooksState} state @param {LooksActions} actions */
const ownView = ({ text, asks, about }, { type }) => html`
  <div class="looks-own"><label for="looks-text">${asks}</label>
    <input id="looks-text" type="text" autocomplete="off" spellcheck="false" .value=${live(text)} @input=${(/** @type {any} */ event) => type(event.target.value)}>
    <span class="note">${about}</span></div>`;

/** @param {Row} row @param {number} at @param {Record<string, number>} top @param {LooksState} state */
function rowView({ title, seen, said, unweighed }, at, top, { mode, marked, places, unit, words }) {
  return html`<div class="looks-row" role="row" data-looks=${at}>
    <span role="rowheader">${lineKey(at)} ${title}${mode !== 'all' && said ? html`<small>says ${said}</small>` : nothing}</span>
    ${COLUMNS.map(({ name, title: what }) => {
      const values = seen?.[name];
      if (!seen || !values) return html`<span role="cell" class="looks-none">${seen ? unweighed : '–'}</span>`;
      const most = values.indexOf(Math.max(...values));
      const amount = name === 'lost' ? lostText(values[most], mode, unit) : shareText(values[most]);
      const text =
        Number.parseFloat(amount) > 0 ? `most: ${places(most, values.length)}, ${amount}` : 'nothing, at any place';
      return html`<span role="cell">${dayBars({ values, top: top[name], marked, kind: name, label: `${title}, ${what}: ${text}` })}${words ? wordsView(words) : nothing}<small>${text}</small>${name === 'weights' && typeof seen.decisive === 'number' ? html`<small><b>${shareText(seen.decisive)}</b> on the days that decide</small>` : nothing}</span>`;
    })}
  </div>`;
}

/** @param {number} value @param {Mode} mode @param {'share' | 'error'} unit */
function lostText(value, mode, unit) {
  if (mode !== 'all') return value.toFixed(2);
  return `${(unit === 'share' ? 100 * value : value).toFixed(1)} points`;
}

/** Letters of a word that are enough to know it by, the sign that it is cut among them. */
const KNOWN_BY = 4;

/**
 * Under the bars; none where there is no room for them, as contest.css finds by their letters.
 * @param {readonly string[]} words
 */
function wordsView(words) {
  const longest = Math.max(...words.map((word) => [...word].length));
  const letters = String(words.length * Math.min(KNOWN_BY, longest));
  // The policy of the page allows no attribute of style.
  const measure = (/** @type {any} */ line) => line?.style.setProperty('--letters', letters);
  return html`<span class="looks-words" aria-hidden="true" ${ref(measure)}>${words.map((word) => html`<span>${word}</span>`)}</span>`;
}
