// What the charts call the layer or the model that is shown.

import { modelOf } from '../models/model.js';

/** A longer name would take the room of the drawing. */
const LONGEST = 18;

/** @param {string} name */
const shortened = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

/**
 * @param {import('../../plain/store.js').Store} store
 * @returns {{ label: string, text: string, kind: string }} `label`: at its curve; `text`: within a sentence
 */
export function ownOf(store) {
  const model = modelOf(store);
  if (!model) return { label: 'This layer', text: 'this layer', kind: 'this layer' };
  const name = shortened(model.name);
  return { label: name, text: name, kind: 'this model' };
}

/**
 * Rows in which that of a model has its name, unless another row is called so already.
 * @template {import('../../plain/comparison.js').Alternative} Row
 * @param {Row[]} rows
 * @param {import('../../plain/store.js').Store} store
 */
export function rowsNamed(rows, store) {
  const name = modelOf(store) && ownOf(store).label;
  if (!name || rows.some(({ label }) => label === name)) return rows;
  return rows.map((row) => (row.current ? { ...row, label: name } : row));
}
