// The labels of a table: how many rows each has, and whether one is a misspelling of another.

import { html, nothing } from 'lit';
import { formatCount } from '../../plain/format.js';
import { answersIn, answersText } from '../../plain/tables/labels.js';

/**
 * @typedef {import('../../plain/tables/labelled-rows.js').Report} Report
 * @typedef {(patch: Record<string, unknown>) => void} Set
 */

/** @param {Report} report @param {unknown} labels the answers as the settings have them @param {Set} set */
export function labelsView(report, labels, set) {
  const answers = answersIn(labels);
  const answer = (/** @type {string} */ label, /** @type {string} */ into) =>
    set({ labels: answersText({ ...answers, [label]: into }) });
  const forget = (/** @type {string} */ label) => {
    const { [label]: _, ...others } = answers;
    set({ labels: answersText(others) });
  };
  return html`
    ${report.alike.map((one) => questionView(one, answer))}
    ${report.answered.length ? html`<ul class="train-answered">${report.answered.map((one) => answeredView(one, forget))}</ul>` : nothing}
    ${countsView(report)}`;
}

/** @param {number} count */
const rows = (count) => (count === 1 ? 'one row' : `${formatCount(count)} rows`);

/** @param {import('../../plain/tables/labels.js').Alike} alike @param {(label: string, into: string) => void} answer */
const questionView = ({ label, count, into, intoCount }, answer) => html`
  <div class="train-question" role="group" aria-label=${`The label ${label}`} data-alike=${label}>
    <p class="note">The label <b>${label}</b> (${rows(count)}) looks like <b>${into}</b> (${rows(intoCount)}). Is it the same? Until you say so, it is a label of its own.</p>
    <div class="train-kept-buttons">
      <button class="button small" type="button" data-answer="merge" @click=${() => answer(label, into)}>Merge into ${into}</button>
      <button class="button small" type="button" data-answer="keep" @click=${() => answer(label, label)}>Keep both</button>
    </div>
  </div>`;

/** @param {Report['answered'][number]} answered @param {(label: string) => void} forget */
const answeredView = ({ label, into, count }, forget) => html`
  <li class="note" data-answered=${label}><b>${label}</b> (${rows(count)}) ${label === into ? 'is kept as a label of its own' : html`is read as <b>${into}</b>`}. <button class="link" type="button" aria-label=${`Undo what was said of ${label}`} @click=${() => forget(label)}>Undo</button></li>`;

/** Rows of each label, of both parts where they are known. @param {Report} report */
function countsView({ classes, counts, split }) {
  const order = classes.map((_, at) => at).sort((one, other) => counts[other] - counts[one]);
  const heads = split ? ['To train on', 'Held out'] : ['Rows'];
  const cells = (/** @type {number} */ at) =>
    split ? [split.counts[at].training, split.counts[at].heldOut] : [counts[at]];
  return html`<details class="twin" data-labels><summary>Rows of each label</summary>
    <div class="scroller" tabindex="0" role="group" aria-label="Rows of each label"><table class="table">
      <thead><tr><th scope="col">Label</th>${heads.map((head) => html`<th scope="col" class="num">${head}</th>`)}</tr></thead>
      <tbody>${order.map((at) => html`<tr><th scope="row">${classes[at]}</th>${cells(at).map((count) => html`<td class="num">${formatCount(count)}</td>`)}</tr>`)}</tbody></table></div></details>`;
}
