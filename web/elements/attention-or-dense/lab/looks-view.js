// What each variant looks at, on the same axes: its weights, gradient × input, and what is lost when a day is blank.

import { html, nothing } from 'lit';
import { formatCount } from '../../../plain/format.js';
import { shareText } from '../../../plain/attention-or-dense/minute-words.js';
import { segments } from '../../form/form.js';
import { dayBars } from './day-bars.js';
import { lineKey } from './lines.js';

/**
 * @typedef {{ weights: readonly number[] | null, gradients: readonly number[], lost: readonly number[],
 *   decisive?: number | null }} Seen `decisive`: the share of attention on the days that decide
 * @typedef {{ title: string, seen: Seen | null, said: string }} Row `said`: what it says of the one example
 *
 * @typedef {object} LooksState
 * @property {readonly Row[]} rows
 * @property {boolean} one whether one example is looked at, instead of all
 * @property {number} index of that example
 * @property {number} seed whose run is asked
 * @property {readonly number[]} seeds
 * @property {string} about the example
 * @property {readonly number[]} marked days that decide
 * @property {readonly string[] | null} words of each place, where they have some
 * @property {string} unit of what is lost
 *
 * @typedef {object} LooksActions
 * @property {(one: boolean) => void} choose
 * @property {(by: number) => void} turn to another example
 * @property {(seed: number) => void} ask of another seed
 */

const COLUMNS = /** @type {const} */ ([
  { name: 'weights', title: 'Attention weights', about: 'their share; dense layers have none' },
  { name: 'gradients', title: 'Gradient × input', about: 'its share: how the answer hangs on the day' },
  { name: 'lost', title: 'Lost when blank', about: 'of the score, when the day is set to 0' }
]);

/** @param {LooksState} state @param {LooksActions} actions */
export function looksView(state, actions) {
  const { rows, marked } = state;
  const seen = rows.flatMap((row) => row.seen ?? []);
  const top = {
    ...Object.fromEntries(['weights', 'gradients'].map((name) => [name, sharesTop(seen)])),
    lost: Math.max(0, ...seen.flatMap(({ lost }) => lost))
  };
  return html`
    <div class="panel-head"><h2 class="panel-title" id="looks-title">What each looks at</h2>${controls(state, actions)}</div>
    ${seen.length === 0 ? html`<p class="note">${state.one ? 'Play, or make one step: then every layer can be asked about one example.' : 'This is known of a run that has made all its steps.'}</p>` : nothing}
    <div class="looks" role="table" aria-labelledby="looks-title" ?hidden=${seen.length === 0}>
      <div class="looks-row looks-head" role="row"><span role="columnheader"><span class="hidden">Layer</span></span>${COLUMNS.map(
        ({ title, about, name }) =>
          html`<span role="columnheader"><b>${title}</b> <small>${state.one && name === 'lost' ? 'of the right answer’s lead, when the day is set to 0' : about}</small></span>`
      )}</div>
      ${rows.map((row, at) => rowView(row, at, top, marked, state))}
      ${state.words ? wordsView(state.words) : nothing}
    </div>`;
}

/** @param {readonly Seen[]} seen */
const sharesTop = (seen) =>
  Math.max(...seen.flatMap(({ weights, gradients }) => [...(weights ?? []), ...gradients]), 0);

/** @param {LooksState} state @param {LooksActions} actions */
const controls = ({ one, index, seed, seeds, about }, { choose, turn, ask }) => html`
  <div class="actions">
    ${
      one
        ? html`<button class="button small" type="button" data-action="before" aria-disabled=${index > 0 ? 'false' : 'true'} @click=${() => turn(-1)}>Before</button>
          <span class="looks-about">${about}</span>
          <button class="button small" type="button" data-action="after" @click=${() => turn(1)}>Next</button>
          <label class="looks-seed">Seed <select @change=${(/** @type {any} */ event) => ask(Number(event.target.value))}>${seeds.map(
            (value) => html`<option value=${value} ?selected=${value === seed}>${value}</option>`
          )}</select></label>`
        : nothing
    }
    <fieldset class="inline"><legend class="hidden">Examples</legend>${segments(
      'looks-of',
      [
        { value: 'all', text: 'All held-out examples' },
        { value: 'one', text: 'One example' }
      ],
      one ? 'one' : 'all',
      (value) => choose(value === 'one')
    )}</fieldset>
  </div>`;

/**
 * @param {Row} row @param {number} at @param {Record<string, number>} top @param {readonly number[]} marked
 * @param {LooksState} state
 */
function rowView({ title, seen, said }, at, top, marked, { unit, one }) {
  return html`<div class="looks-row" role="row" data-looks=${at}>
    <span role="rowheader">${lineKey(at)} ${title}${one && said ? html`<small>says ${said}</small>` : nothing}</span>
    ${COLUMNS.map(({ name, title: what }) => {
      const values = seen?.[name];
      if (!values)
        return html`<span role="cell" class="looks-none">${seen ? (name === 'weights' ? 'has none' : '') : '–'}</span>`;
      const most = values.indexOf(Math.max(...values));
      const text =
        name === 'lost' && one
          ? values[most].toFixed(2)
          : name === 'lost'
            ? `${(unit === 'share' ? 100 * values[most] : values[most]).toFixed(1)} points`
            : shareText(values[most]);
      return html`<span role="cell">${dayBars({ values, top: top[name], marked, kind: name, label: `${title}, ${what}: most at ${formatCount(most + 1)}, ${text}` })}<small>most: ${most + 1}, ${text}</small></span>`;
    })}
  </div>`;
}

/** @param {readonly string[]} words */
const wordsView = (words) =>
  html`<p class="looks-words"><span>From the left:</span> ${words.map((word) => html`<b>${word}</b> `)}</p>`;
