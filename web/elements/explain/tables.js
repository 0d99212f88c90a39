// The lists of an explanation: products of features, keys of the row, the value's share. Short ones have the largest.

import { html, nothing } from 'lit';
import { exact, factorNames, madeText } from '../../plain/explained.js';

/** @typedef {import('../../lib/index.js').Explanation} Answer */

/** Of more than so many, so many stand in a short list. */
const [MOST, FEW, FEWEST] = [6, 5, 3];

const total = (/** @type {readonly number[]} */ values) => values.reduce((sum, value) => sum + value, 0);

/** @param {string} label @param {unknown} table */
const scroller = (label, table) =>
  html`<div class="scroller" tabindex="0" role="group" aria-label=${label}>${table}</div>`;

/** @param {readonly string[]} titles the first one names the rows */
const head = ([first, ...others]) =>
  html`<thead><tr><th scope="col">${first}</th>${others.map((title) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead>`;

const number = (/** @type {number} */ value) => html`<td class="num">${exact(value)}</td>`;

/** @param {Answer} answer @param {boolean} whole with where the factors come from */
export function productsTable(answer, whole) {
  const { products } = answer;
  const count = whole || products.length <= MOST ? products.length : FEW;
  const names = factorNames(answer);
  const [{ left, right }] = products;
  const isMade = [left, right].map(({ op }) => Boolean(op));
  const origins = names.filter((_, at) => whole && isMade[at]).map((name) => `how: ${name}`);
  const others = products.slice(count);
  const rest = total(others.map(({ product }) => product));
  return scroller(
    'Products of features',
    html`<table class="table explain-table">
      ${head(['feature', ...names, 'product', ...origins])}
      <tbody>
        ${products.slice(0, count).map(
          (
            one
          ) => html`<tr><th scope="row">${one.feature}</th>${number(one.left.value)}${number(one.right.value)}${number(one.product)}
            ${[one.left, one.right].map((made, at) => (whole && isMade[at] ? html`<td class="origin">${madeText(made)}</td>` : nothing))}</tr>`
        )}
        ${others.length ? html`<tr class="rest"><th scope="row" colspan="3">${others.length === 1 ? 'one smaller one' : `${others.length} smaller ones together`}</th>${number(rest)}</tr>` : nothing}
      </tbody>
    </table>`
  );
}

/** @param {Answer} answer @param {readonly string[] | null} words of the keys */
export function keysView({ key, row: { scores, max, sum, visible } }, words) {
  const each = scores.map((score) => (visible ? Math.exp(score - max) : 0));
  return scroller(
    'Keys of this row',
    html`<table class="table explain-table">
      ${head(['key', 'score', 'exponential', 'weight'])}
      <tbody>${scores.map(
        (
          score,
          at
        ) => html`<tr class=${at === key ? 'here' : ''}><th scope="row">${at}${words ? html` <span class="word">${words[at]}</span>` : nothing}</th>
          ${number(score)}${number(each[at])}${number(visible ? each[at] / sum : 0)}</tr>`
      )}</tbody>
      <tfoot><tr><th scope="row">sum</th><td></td>${number(sum)}<td></td></tr></tfoot>
    </table>`
  );
}

/** @param {NonNullable<Answer['value']>} value @param {number} weight @param {boolean} whole */
export function valueTable({ features, added, total: row }, weight, whole) {
  const order = features.map((_, feature) => feature);
  if (!whole) order.sort((a, b) => Math.abs(added[b]) - Math.abs(added[a]));
  const shown = whole || order.length <= FEWEST ? order : order.slice(0, FEWEST);
  const caption = shown.length < order.length ? `, the ${FEWEST} largest of ${order.length}` : '';
  return scroller(
    'What the value adds',
    html`<table class="table explain-table">
      <caption>The value adds ${exact(weight)} × each feature${caption}</caption>
      ${head(['feature', 'value', 'adds', 'output in all'])}
      <tbody>${shown.map((feature) => html`<tr><th scope="row">${feature}</th>${number(features[feature])}${number(added[feature])}${number(row[feature])}</tr>`)}</tbody>
    </table>`
  );
}
