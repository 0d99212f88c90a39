// What a link says beside the layer: how it is looked at. Which of it means nothing, and why. No DOM.

import { tensorBetween } from './between.js';
import { maskPlanes } from './mask.js';
import { readMasks } from './mask-text.js';
import { ASIDE_OF_MODEL, countRule } from './model.js';
import { PATTERNS } from './patterns.js';

/** @typedef {import('./store.js').Store} Store */

/** The names of its parts. `context` and `sequences`: of the KV cache that is shown. */
export const ASIDE = ['input', 'numbers', 'mask', 'tensor', 'context', 'sequences', ...ASIDE_OF_MODEL];

/** What `input` may be beside a pattern's name: numbers of one's own. */
const OWN = 'own';
const MOST_QUOTED = 40;

/**
 * What is wrong with a part; '' for nothing. What is not here says itself where it is shown.
 * @type {Record<string, (text: string, store: Store) => string>}
 */
const RULES = {
  input(text) {
    const names = [...PATTERNS.map(({ name }) => name), OWN];
    return names.includes(text) ? '' : `one of ${names.join(', ')}`;
  },
  mask(text, { estimate }) {
    const masks = readMasks(text, maskPlanes(estimate.inputs));
    const fits = text.split(';').every((part) => Object.hasOwn(masks, part.split(':')[0]));
    return fits ? '' : 'a mask that was painted for this layer with these sizes';
  },
  tensor(text, { scope, config }) {
    const estimate = scope.estimate(/** @type {any} */ (config), { tensors: true });
    const isResult = estimate.results.some(({ name }) => name === text);
    return isResult || tensorBetween(estimate, text) ? '' : 'a result of this layer or a tensor between its steps';
  },
  model_positions: countRule,
  model_layers: countRule
};

/**
 * Messages about parts that mean nothing to the store's layer, by their names.
 * @param {Record<string, string>} aside @param {Store} store
 * @returns {Record<string, string>}
 */
export const asideRefusals = (aside, store) =>
  Object.fromEntries(
    Object.entries(RULES)
      .filter(([name]) => Object.hasOwn(aside, name))
      .map(([name, rule]) => [name, rule(aside[name], store)])
      .filter(([, rule]) => rule)
      .map(([name, rule]) => [name, `${name} must be ${rule}, got ${quoted(aside[name])}`])
  );

/** @param {string} text */
const quoted = (text) => JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text);
