// The page's address, which has all settings of a run.

import { repeatedIn, valuesIn } from '../../plain/search.js';
import { FROM, searchOf, taskOf } from '../../plain/train/settings.js';

/** @typedef {import('../../plain/fields.js').Values} Values */

/** @returns {Values} */
export const valuesOfAddress = () => valuesIn(location.search);

/** What it says more than once. */
export const repeatedOfAddress = () => repeatedIn(location.search);

/**
 * Another task or another file is another place in the history, to which *Back* leads; other settings are the same one.
 * @param {readonly import('../../plain/fields.js').Layer[]} layers @param {Values} values @param {Values} before
 */
export function writeAddress(layers, values, before) {
  const isSame = taskOf(values.task) === taskOf(before.task) && values.file === before.file;
  const search = searchOf(layers, values) + fromText() + location.hash;
  history[isSame ? 'replaceState' : 'pushState'](null, '', search);
}

/** Another place in the history: the address of a kept run. @param {string} search */
export const goTo = (search) => history.pushState(null, '', search + fromText() + location.hash);

/** The layer that one came from, kept. */
function fromText() {
  const from = new URLSearchParams(location.search).get(FROM);
  return from ? `&${new URLSearchParams({ [FROM]: from })}` : '';
}
