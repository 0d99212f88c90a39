// What a link says beside the layer: how it is looked at. Which of it means nothing, and why. No DOM.

import { ASIDE_OF_MODEL, countRule } from './model.js';
import { maskArguments } from './pytorch-source.js';
import { quoted } from './search.js';

/**
 * @typedef {Pick<import('./store.js').Store, 'scope' | 'config' | 'estimate'>} Shown
 * @typedef {(text: string, shown: Shown) => string} Rule what is wrong with a part; '' for nothing
 */

/** Parts that the run panel reads. Their rules know patterns and masks: a link that has one loads them. */
const ASIDE_OF_RUN = ['inputs', 'numbers', 'mask', 'tensor'];

/** The names of its parts. `context` and `sequences`: of the KV cache that is shown; `code`: of the PyTorch code. */
export const ASIDE = [...ASIDE_OF_RUN, 'context', 'sequences', 'code', ...ASIDE_OF_MODEL];

/** The value of `code` where the PyTorch code takes the layer's masks. */
export const WITH_MASKS = 'masks';

/** What is not here says itself where it is shown. @type {Record<string, Rule>} */
const RULES = {
  model_positions: countRule,
  model_layers: countRule,
  code(text, { estimate }) {
    if (maskArguments(estimate).length === 0) return 'left out for a layer without masks';
    return text === WITH_MASKS ? '' : WITH_MASKS;
  }
};

/**
 * Messages about parts that mean nothing to what is shown, by their names.
 * @param {Record<string, string>} aside @param {Shown} shown
 */
export const asideRefusals = (aside, shown) => refusals(RULES, aside, shown);

/**
 * The same about parts that the run panel reads.
 * @param {Record<string, string>} aside @param {Shown} shown
 */
export async function runRefusals(aside, shown) {
  const parts = Object.entries(aside).filter(([name]) => ASIDE_OF_RUN.includes(name));
  if (parts.length === 0) return {};
  try {
    const { RUN_RULES } = await import('./aside-of-run.js');
    return refusals(RUN_RULES, aside, shown);
  } catch (error) {
    const why = `could not be checked: ${/** @type {Error} */ (error).message}.`;
    return Object.fromEntries(parts.map(([name]) => [name, `${name} ${why}`]));
  }
}

/**
 * @param {Record<string, Rule>} rules @param {Record<string, string>} aside @param {Shown} shown
 * @returns {Record<string, string>}
 */
const refusals = (rules, aside, shown) =>
  Object.fromEntries(
    Object.entries(rules)
      .filter(([name]) => Object.hasOwn(aside, name))
      .map(([name, rule]) => [name, rule(aside[name], shown)])
      .filter(([, rule]) => rule)
      .map(([name, rule]) => [name, `${name} must be ${rule}, got ${quoted(aside[name])}`])
  );
