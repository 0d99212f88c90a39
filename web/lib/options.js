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

/**
 * Parts `tensors`, an array of names, from the other options of forward() or runBytes(), which the core checks.
 * @param {any} options what is no plain object is for the core to refuse
 * @returns {{ tensors?: string[], core: any }} each name once
 */
export function partTensors(options) {
  if (!isPlain(options)) return { core: options };
  const { tensors, ...core } = /** @type {Record<string, any>} */ ({ __proto__: null, ...options });
  if (tensors === undefined) return { core };
  const rule = namesRule('names')(tensors);
  if (rule) throw refusal('tensors', `tensors must be ${rule}, got ${show(tensors)}`);
  return { tensors: [...new Set(/** @type {string[]} */ (tensors))], core };
}

/** The rule of an AbortSignal, of any realm. @param {any} value */
export const signalRule = (value) =>
  !(typeof value?.aborted === 'boolean' && typeof value.throwIfAborted === 'function') && 'an AbortSignal';

/** @param {unknown} value */
export const functionRule = (value) => typeof value !== 'function' && 'a function';

/** @param {unknown} value */
export const booleanRule = (value) => typeof value !== 'boolean' && 'true or false';

/** @param {string} what they are called */
export const namesRule = (what) => (/** @type {any} */ value) =>
  !(Array.isArray(value) && value.every((one) => typeof one === 'string')) && `an array of ${what}`;
