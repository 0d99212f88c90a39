// All that can be copied of the layer that is shown, by the name of its button.

import { toCsv, toJson, toMarkdown } from './exports.js';
import { comparisonCsv, comparisonMarkdown } from './pin-comparison.js';

/** @typedef {import('./store.js').Store} Store */

/** @type {Record<string, (store: Store, link: string) => string>} */
const TEXTS = {
  link: (_, link) => link,
  json: ({ estimate }) => toJson(estimate),
  csv: ({ estimate }) => toCsv(estimate),
  markdown: (store, link) => toMarkdown(store.estimate, link, store),
  comparison: comparisonMarkdown,
  'comparison-csv': comparisonCsv
};

/** @param {string} kind @param {Store} store @param {string} link to the page in this state; '' for none */
export const exportText = (kind, store, link) => TEXTS[kind](store, link);
