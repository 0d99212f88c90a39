// What a link may say of a run: which pattern, which masks, which tensor is drawn. No DOM.

import { tensorBetween } from './between.js';
import { OWN } from './inputs.js';
import { maskPlanes } from './mask.js';
import { readMasks } from './mask-text.js';
import { PATTERNS } from './patterns.js';

/** By the names of the parts. @type {Record<string, import('./aside.js').Rule>} */
export const RUN_RULES = {
  inputs(text) {
    const names = [...PATTERNS.map(({ name }) => name), OWN];
    return names.includes(text) ? '' : `one of ${names.join(', ')}`;
  },
  mask(text, { estimate }) {
    const masks = readMasks(text, maskPlanes(estimate.inputs));
    const fits = text.split(';').every((part) => Object.hasOwn(masks, part.split(':')[0]));
    return fits ? '' : 'a mask that was painted for this layer with these sizes';
  },
  tensor(text, { scope, config }) {
    /** @type {any} */
    let estimate;
    try {
      estimate = scope.estimate(/** @type {any} */ (config), { tensors: true });
    } catch (error) {
      if (/** @type {any} */ (error).field) return ''; // the panel says why there is no run
      throw error;
    }
    const isResult = estimate.results.some((/** @type {any} */ { name }) => name === text);
    return isResult || tensorBetween(estimate, text) ? '' : 'a result of this layer or a tensor between its steps';
  }
};
