// What the layer says of a text of the reader's own, and of held-out examples, as templates.

import { html, nothing } from 'lit';
import { formatCount, formatPercent } from '../../plain/format.js';
import { UNKNOWN } from '../../plain/train/batch.js';
import { quoted } from '../../plain/train/reading.js';
import { segments } from '../form/form.js';

/**
 * @typedef {import('./ask-panel.js').Own} Own
 * @typedef {import('./ask-panel.js').Held} Held
 * @typedef {import('./ask-panel.js').Mode} Mode
 * @typedef {import('./shown.js').Shown} Shown
 *
 * @typedef {object} AskState
 * @property {Shown | null} shown the run, null before there is one
 * @property {string} text
 * @property {Mode} mode
 * @property {string} error
 * @property {Own | null} own
 * @property {Held | null} held
 * @property {number} at
 * @property {boolean} playing
 * @property {unknown} drawn what the heat map shows
 * @property {import('../explain/explanation.js').Explain | null} explain answers for its cells
 *
 * @typedef {{ type: (text: string) => void, answer: () => void, step: (at: number) => void,
 *   choose: (mode: Mode) => void }} AskActions
 */

const MODES = [
  { value: 'own', text: 'Your own' },
  { value: 'held', text: 'Held-out examples' }
];
/** So many classes are shown with their probability. */
const MOST_CLASSES = 6;
/** So many words that the vocabulary lacks are named. */
const MOST_WORDS = 8;

/** @param {AskState | null} state null before there is a script @param {AskActions} [actions] */
export function askView(state, actions) {
  const { shown = null, mode = 'own' } = state ?? {};
  const step = mode === 'own' ? state?.own?.answer.step : state?.held?.step;
  const head = html`<div class="panel-head"><h2 id="ask-title" class="panel-title">Ask the layer<span class="panel-note">${step === undefined ? '' : `as it is after step ${formatCount(step)}`}</span></h2>
    ${shown ? html`<fieldset class="inline"><legend class="hidden">What the layer is given</legend>${segments('ask-mode', MODES, mode, (chosen) => actions?.choose(/** @type {Mode} */ (chosen)))}</fieldset>` : nothing}</div>`;
  if (!state || !shown || !actions)
    return html`${head}<p class="note">Once a run has begun, give it something of your own here, and step through held-out examples, wrong ones first.</p>`;
  return html`${head}
    <div class=${shown.task.layer === 'decoder' ? 'train-asked sequence' : 'train-asked'}>
      <div class="train-ask-side">${mode === 'own' ? ownView(state, shown, actions) : heldView(state, shown, actions)}</div>
      ${state.drawn ? html`<attnscope-heat-map class="train-ask-map" .drawn=${state.drawn} .explain=${state.explain} prefix="ask-" fixed></attnscope-heat-map>` : nothing}
    </div>`;
}

/** @param {AskState} state @param {Shown} shown @param {AskActions} actions */
function ownView({ text, error, own }, shown, actions) {
  const { label } = shown.data.asks;
  const isDecoder = shown.task.layer === 'decoder';
  return html`
    <form class="train-ask" novalidate @submit=${(/** @type {Event} */ event) => {
      event.preventDefault();
      actions.answer();
    }}>
      <label for="ask-text">${label}</label>
      <textarea id="ask-text" rows="2" spellcheck="false" autocomplete="off" .value=${text} aria-invalid=${error ? 'true' : 'false'}
        aria-describedby=${error ? 'error-ask' : nothing} @input=${(/** @type {any} */ event) => actions.type(event.target.value)}
        @keydown=${submitByEnter}></textarea>
      <button class="button" type="submit" data-action="ask">${isDecoder ? 'Continue it' : 'Classify it'}</button>
    </form>
    ${error ? html`<p class="field-error" id="error-ask" role="alert">${error}</p>` : nothing}
    <div role="status" data-answer>${own ? (isDecoder ? continuedView(own, shown) : classView(own, shown)) : nothing}</div>
    ${own ? readView(own) : nothing}`;
}

/** Enter asks; with Shift it begins a line. @param {KeyboardEvent} event */
function submitByEnter(event) {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  /** @type {HTMLTextAreaElement} */ (event.currentTarget).form?.requestSubmit();
}

const NOT_FINITE = html`<p class="train-answer">Its scores are not finite any more, so it says nothing: a lower learning rate may help.</p>`;

/** @param {Own} own @param {Shown} shown */
function classView({ answer: { said, confidence, probabilities } }, { data }) {
  if (!confidence.every(Number.isFinite)) return NOT_FINITE;
  const [row] = probabilities;
  const order = row.map((_, at) => at).sort((one, other) => row[other] - row[one]);
  return html`
    <p class="train-answer">It says <b>${data.classWord?.(said[0])}</b>, with a probability of ${formatPercent(confidence[0])}.</p>
    <table class="table train-classes"><caption class="hidden">The probability of each class</caption><tbody>${order
      .slice(0, MOST_CLASSES)
      .map(
        (at) =>
          html`<tr><th scope="row">${data.classWord?.(at)}</th><td class="train-norm"><svg class="bar" aria-hidden="true"><rect width=${`${(100 * row[at]).toFixed(1)}%`} height="100%"></rect></svg></td><td class="num">${formatPercent(row[at])}</td></tr>`
      )}</tbody></table>
    ${order.length > MOST_CLASSES ? html`<p class="note">The likeliest ${MOST_CLASSES} of ${formatCount(order.length)} classes.</p>` : nothing}`;
}

/** @param {Own} own @param {Shown} shown */
function continuedView({ answer: { tokens, given = tokens.length, confidence } }, { data, task }) {
  if (!confidence.every(Number.isFinite)) return NOT_FINITE;
  const words = data.words(tokens);
  return html`
    <p class="train-answer">It continues with <code>${words.slice(given).join('')}</code>.</p>
    <div class="scroller" tabindex="0" role="group" aria-label="The sequence as a table"><table class="table train-tokens" data-continued>
      <tbody>
        <tr><th scope="row">token</th>${words.map((word, at) => html`<td class=${at < given ? '' : 'hit'}>${word}${at < given ? nothing : html`<span class="hidden"> (its own)</span>`}</td>`)}</tr>
        <tr><th scope="row">probability</th>${words.map((_, at) => html`<td class="train-share">${at < given ? html`<span class="unknown">·</span>` : Math.round(100 * confidence[at - 1])}</td>`)}</tr>
      </tbody></table></div>
    <p class="note">Each token of its own is the likeliest one; probabilities in percent.${task.known ? ` ${task.known}` : ''}</p>`;
}

/** What could not be read as it was typed. @param {Own} own */
function readView({ read: { unknown, left } }) {
  const named = unknown.slice(0, MOST_WORDS).map(quoted).join(', ');
  const more = unknown.length > MOST_WORDS ? ` and ${formatCount(unknown.length - MOST_WORDS)} others` : '';
  return html`
    ${unknown.length ? html`<p class="train-missing" data-unknown>The vocabulary of the training rows lacks ${named}${more}: the layer reads ${unknown.length === 1 ? 'it' : 'each of them'} as [unk].</p>` : nothing}
    ${left ? html`<p class="train-missing" data-left>The last ${left === 1 ? 'token is' : `${formatCount(left)} tokens are`} left out: the layer reads no more than seq_len.</p>` : nothing}`;
}

/** @param {AskState} state @param {Shown} shown @param {AskActions} actions */
function heldView({ held, at, error }, shown, { step }) {
  if (error) return html`<p class="field-error" role="alert">${error}</p>`;
  if (!held) return html`<p class="note" role="status">The layer is asked …</p>`;
  const { examples } = held;
  const wrong = examples.filter(({ share }) => share < 1).length;
  const one = examples[at];
  return html`
    <p class="note" data-wrong=${wrong}>${wrong === 0 ? `All ${formatCount(examples.length)} are right` : `${formatCount(wrong)} of ${formatCount(examples.length)} have mistakes, and come first`}; the surest mistakes before the others.</p>
    <div class="train-stepper">
      <button class="button small" type="button" data-action="before" aria-disabled=${at === 0 ? 'true' : 'false'} @click=${() => step(at - 1)}>Previous</button>
      <span data-place=${at}>${formatCount(at + 1)} of ${formatCount(examples.length)}</span>
      <button class="button small" type="button" data-action="after" aria-disabled=${at === examples.length - 1 ? 'true' : 'false'} @click=${() => step(at + 1)}>Next</button>
    </div>
    <div role="status" data-held=${one.share < 1 ? 'wrong' : 'right'}>${shown.task.layer === 'decoder' ? sequenceView(one, shown) : labelView(one, shown)}</div>`;
}

/** @param {import('../../plain/train/ask.js').HeldOut} example @param {Shown} shown */
function labelView({ tokens, right, said, confidence, share }, { data }) {
  return html`
    <p class="train-read"><code>${data.words(tokens).join(' ')}</code></p>
    <dl class="train-verdict">
      <div><dt>It says</dt><dd class=${share < 1 ? 'miss' : 'hit'}>${data.classWord?.(said[0])}${share < 1 ? html`<span class="hidden"> (wrong)</span>` : nothing}</dd></div>
      <div><dt>The truth</dt><dd>${data.classWord?.(right[0])}</dd></div>
      <div><dt>Confidence</dt><dd>${formatPercent(confidence[0])}</dd></div>
    </dl>`;
}

/** @param {import('../../plain/train/ask.js').HeldOut} example @param {Shown} shown */
function sequenceView({ tokens, right, said, confidence }, { data }) {
  const isKnown = (/** @type {number} */ at) => right[at] !== UNKNOWN;
  const word = (/** @type {number} */ token) => data.words([token])[0];
  const dot = html`<span class="unknown">·</span>`;
  const row = (/** @type {string} */ title, /** @type {(at: number) => unknown} */ cell) =>
    html`<tr><th scope="row">${title}</th>${tokens.map((_, at) => cell(at))}</tr>`;
  const isHit = (/** @type {number} */ at) => right[at] === said[at];
  return html`<div class="scroller" tabindex="0" role="group" aria-label="The example as a table"><table class="table train-tokens">
    <tbody>
      ${row('reads', (at) => html`<td>${word(tokens[at])}</td>`)}
      ${row('comes next', (at) => html`<td>${isKnown(at) ? word(right[at]) : dot}</td>`)}
      ${row('it says', (at) => html`<td class=${isKnown(at) ? (isHit(at) ? 'hit' : 'miss') : ''}>${isKnown(at) ? word(said[at]) : dot}${isKnown(at) && !isHit(at) ? html`<span class="hidden"> (wrong)</span>` : nothing}</td>`)}
      ${row('confidence', (at) => html`<td class="train-share">${isKnown(at) ? Math.round(100 * confidence[at]) : dot}</td>`)}
    </tbody></table></div>
    <p class="note">Only positions whose next token can be known count; confidence in percent.</p>`;
}
