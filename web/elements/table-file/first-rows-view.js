// The first rows of a table as they are read, the part of each column, and whether the first row names the columns: in
// sight before anything is trained.

import { html, nothing } from 'lit';
import { formatThings } from '../../plain/format.js';
import { columnsOf, numberColumns } from '../../plain/tables/columns.js';
import { reasonsOf } from '../../plain/tables/proposal.js';
import { segments } from '../form/form.js';

/**
 * @typedef {import('../../plain/tables/table.js').Table} Table
 * @typedef {Record<string, any>} Values
 */

const ROWS = 3;
/** Columns that are shown, beside those of the label and the text. */
const COLUMNS = 8;
/** Letters of a cell. */
const LETTERS = 60;

/**
 * @param {Table} table @param {Values} values header and columns as the page has them
 * @param {Record<string, string>} errors @param {(patch: Record<string, unknown>) => void} set
 */
export function firstRowsView(table, values, errors, set) {
  const header = String(values.header) === 'true';
  const parts = partsOf(table, values, header);
  const places = parts.flatMap(({ part }, at) => (at < COLUMNS || part === 'label' || part === 'text' ? [at] : []));
  const more = parts.length - places.length;
  return html`
    <div class="first-header" role="radiogroup" aria-labelledby="label-header" aria-describedby=${errors.header ? 'error-header' : nothing} data-field="header">
      <span id="label-header">The first row names the columns</span>
      ${segments('header', HEADERS, String(values.header), (value) => set({ header: value }))}
    </div>
    ${errors.header ? html`<p class="field-error" id="error-header">${errors.header}</p>` : nothing}
    <div class="scroller" tabindex="0" role="group" aria-label="The first rows"><table class="table first-rows" data-first-rows>
      <thead><tr>${places.map((at) => html`<th scope="col" data-part=${parts[at].part}>${short(parts[at].name)}<small>${parts[at].part}</small></th>`)}</tr></thead>
      <tbody>${table.rows.slice(Number(header), Number(header) + ROWS).map(({ cells }) => html`<tr>${places.map((at) => html`<td data-part=${parts[at].part}>${short(cells[at] ?? '')}</td>`)}</tr>`)}</tbody></table></div>
    ${more ? html`<p class="note">${formatThings(more, 'more column')}.</p>` : nothing}
    ${reasonView(table, values)}`;
}

const HEADERS = [
  { value: 'true', text: 'Yes' },
  { value: 'false', text: 'No' }
];

/**
 * The name of each column and its part in an example.
 * @param {Table} table @param {Values} values @param {boolean} header
 */
function partsOf(table, { form, label_column: label, text_column: text }, header) {
  const columns = columnsOf(table, header);
  const labelAt = columns.findIndex(({ name }) => name === label);
  const numbers = form === 'numbers' ? numberColumns(table, header, labelAt) : [];
  return columns.map(({ name, at }) => {
    if (name === label) return { name, part: 'label' };
    if (form === 'text' && name === text) return { name, part: 'text' };
    return { name, part: numbers.includes(at) ? 'number' : 'not used' };
  });
}

/** @param {Table} table @param {Values} values */
function reasonView(table, values) {
  const reasons = reasonsOf(table, values);
  const said = [
    { part: 'Label', name: values.label_column, why: reasons.label },
    { part: 'Text', name: values.text_column, why: values.form === 'text' ? reasons.text : '' }
  ].filter(({ why }) => why);
  return said.length
    ? html`<p class="note" data-reasons>${said.map(({ part, name, why }, at) => html`${at ? ' ' : ''}${part}: <b>${short(name)}</b>, ${why}.`)}</p>`
    : nothing;
}

/** @param {string} text */
const short = (text) => ([...text].length > LETTERS ? `${[...text].slice(0, LETTERS).join('')}…` : text);
