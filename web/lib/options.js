// The options of the library's own functions: those that the core does not check.

import { didYouMean, isPlain, show } from './values.js';

/**
 * The caller's own options, none that an object inherits.
 * @template {string} Name
 * @param {string} owner the function's name
 * @param {Record<Name, (value: any) => string | false>} rules what each option must be, or false for a value that is
 * @param {unknown} options
 * @returns {Partial<Record<Name, any>>}
 * @throws {RangeError} for an unknown option or a value that its rule refuses; `field` is its name
 */
export function checkOptions(owner, rules, options) {
  if (!isPlain(options)) throw refusal('options', `options must be a plain object, got ${show(options)}`);
  const own = /** @type {Record<string, unknown>} */ ({ __proto__: null, ...options });
  const known = Object.keys(rules);
  for (const [name, value] of Object.entries(own)) {
    if (!known.includes(name)) {
      const advice = didYouMean(name, known) || `; its options are ${known.join(', ')}`;
      throw refusal(name, `${owner} has no option ${show(name)}${advice}`);
    }
    const rule = value !== undefined && rules[/** @type {Name} */ (name)](value);
    if (rule) throw refusal(name, `${name} must be ${rule}, got ${show(value)}`);
  }
  return /** @type {Partial<Record<Name, any>>} */ (own);
}

/** @param {string} field @param {string} message */
export const refusal = (field, message) => Object.assign(new RangeError(message), { field });

/** The rule of an AbortSignal, of any realm. @param {any} value */
export const signalRule = (value) =>
  !(typeof value?.aborted === 'boolean' && typeof value.throwIfAborted === 'function') && 'an AbortSignal';

/** @param {unknown} value */
export const functionRule = (value) => typeof value !== 'function' && 'a function';

/** @param {unknown} value */
export const booleanRule = (value) => typeof value !== 'boolean' && 'true or false';
