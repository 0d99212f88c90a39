// The file that a task is trained on: where it is dropped or chosen, what was found in it, and what was left out.

import { html, nothing } from 'lit';
import { exampleTables } from '../../plain/tables/example-tables.js';
import { formatBytes, formatCount, formatThings } from '../../plain/format.js';
import { shortened } from '../../plain/search.js';
import { firstRowsView } from './first-rows-view.js';
import { labelsView } from './labels-view.js';

/**
 * @typedef {import('../../plain/tables/table.js').Table} Table
 * @typedef {import('../../plain/tables/labelled-rows.js').Report} Report
 *
 * @typedef {object} FileState
 * @property {Table | null} table that the settings are of
 * @property {string} reading the name of a file that is being read
 * @property {string} error why the last one was refused
 * @property {string} note what is to be said of the last one
 * @property {boolean} over whether something is being dragged over the box
 */

/** So many rows that are left out are listed. */
const MOST_LISTED = 500;
const MOST_CLASSES_NAMED = 6;
const LONGEST_CLASS = 24;

/**
 * @param {FileState} state
 * @param {{ errors: Record<string, string>, report: Report | null }} checked
 * @param {import('../../plain/fields.js').Values} values
 * @param {import('../train/view.js').Actions} actions
 */
export function fileView({ table, reading, error, note, over }, { errors, report }, values, actions) {
  const { file, labels } = values;
  const isExample = exampleTables.some(({ name }) => name === file);
  return html`
    <div class=${over ? 'import-box train-file over' : 'import-box train-file'} data-field="file"
      @dragenter=${actions.drag} @dragover=${actions.drag} @dragleave=${actions.drag} @drop=${actions.drag}>
      <div class="import-label"><span>${table ? html`<b class="train-name">${table.name}</b>` : 'Drop a CSV or TSV file here'}</span>
        <label class="button small">${table ? 'Another file' : 'Choose a file'}<input class="hidden" id="field-file" type="file"
          accept=".csv,.tsv,.tab,.txt,text/csv,text/tab-separated-values,text/plain" aria-describedby="about-file" @change=${(/** @type {any} */ event) => chosen(event.target, actions.open)}></label>
      </div>
      <p class="note" id="about-file">${table ? '' : 'One row an example, with a label and a text or numbers. '}The file stays in this browser. Or try an example:
        ${exampleTables.map(({ name, title }, at) => html`${at ? ', ' : ''}<button class="link" type="button" data-example-table=${name} @click=${() => actions.openExample(name)}>${title}</button>`)}${
          table && isExample
            ? html`; <button class="link" type="button" data-action="save-example" @click=${actions.saveExample}>download this one</button>`
            : nothing
        }</p>
      ${errors.file && !reading ? html`<p class="train-missing" data-missing>${errors.file}</p>` : nothing}
      ${error ? html`<p class="field-error" id="error-file" role="alert">${error}</p>` : nothing}
      <p class="note" role="status" data-report>${reading ? `Reading ${reading} …` : [note, ...(table?.remarks ?? []), table && report ? reportText(table, report) : ''].filter(Boolean).join(' ')}</p>
      ${table ? firstRowsView(table, values, errors, actions.set) : nothing}
      ${table && report ? html`${labelsView(report, labels, actions.set)}${unknownView(report.unknown, values.tokens, 'characters', actions.set)}${reportView(report)}` : nothing}
    </div>`;
}

/**
 * Emptied, so that the same file can be chosen again.
 * @param {HTMLInputElement} input @param {(file: File) => void} open
 */
function chosen(input, open) {
  const [file] = input.files ?? [];
  if (file) open(file);
  input.value = '';
}

/** @param {Table} table @param {Report} report */
function reportText({ bytes }, { used, bad, split, classes, counts }) {
  const named = classes
    .slice(0, MOST_CLASSES_NAMED)
    .map((name, at) => `${shortened(name, LONGEST_CLASS)} (${formatCount(counts[at])})`);
  const more = classes.length > named.length ? ', …' : '';
  return `${formatBytes(bytes)}, ${formatThings(used, 'row')} used and ${formatCount(bad.length)} left out${split ? splitText(split) : ''}. ${formatThings(classes.length, 'label')}: ${named.join(', ')}${more}.`;
}

/** @param {import('../../plain/tables/labelled-rows.js').Split} split */
function splitText({ training, heldOut, looked }) {
  const some = looked < heldOut ? `, of which ${formatCount(looked)} are looked at` : '';
  return `: ${formatCount(training)} to train on, ${formatCount(heldOut)} held out${some}`;
}

/**
 * A warning that most held-out words are [unk], with a button that takes smaller tokens in their place.
 * @param {string} text '' for none @param {unknown} tokens that texts are split into
 * @param {'characters' | 'letters'} smaller @param {(patch: Record<string, unknown>) => void} set
 */
export const unknownView = (text, tokens, smaller, set) =>
  text
    ? html`<p class="train-missing" data-mostly-unknown>${text}${tokens === smaller ? nothing : html` <button class="link" type="button" data-action="smaller-tokens" @click=${() => set({ tokens: smaller })}>Split texts into ${smaller}</button>`}</p>`
    : nothing;

/** @param {Report} report */
const reportView = ({ bad, said, others }) => html`
  <p class="note">${said}${others.length ? ` Not used: ${others.join(', ')}.` : ''}</p>
  ${
    bad.length
      ? html`<details class="twin" data-bad><summary>${formatThings(bad.length, 'row')} left out</summary>
    <div class="scroller" tabindex="0" role="group" aria-label="Rows left out"><table class="table">
      <thead><tr><th scope="col">Line</th><th scope="col">Reason</th></tr></thead>
      <tbody>${bad.slice(0, MOST_LISTED).map(({ line, reason }) => html`<tr><th scope="row">${line}</th><td>${reason}</td></tr>`)}</tbody></table>
      ${bad.length > MOST_LISTED ? html`<p class="note">The first ${MOST_LISTED} of ${formatCount(bad.length)}.</p>` : nothing}</div></details>`
      : nothing
  }`;
