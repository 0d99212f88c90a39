// What can be set in a lab, and how it stands in a link.

import { gotText, quoted } from '../search.js';

/**
 * @typedef {Record<string, any>} Values by the names of the settings
 * @typedef {{ name: string, label: string, initial: any, when?: (values: Values) => boolean }} Base `when`: whether it
 *   means anything beside the others; without, always
 * @typedef {Base & { kind: 'choice', choices: readonly { value: string, text: string }[] }} Choice
 * @typedef {Base & { kind: 'integer', min: number, max: number, stops?: readonly number[],
 *   optional?: boolean }} Integer `stops`: those of a slider; `optional`: may be left empty, which is null
 * @typedef {Base & { kind: 'number', above: number, max: number }} Decimal larger than `above`
 * @typedef {Base & { kind: 'text', pattern: RegExp, rule: string }} Text what is set by the figure itself
 * @typedef {Choice | Integer | Decimal | Text} Setting
 */

/** @param {readonly Setting[]} settings @returns {Values} */
export const initialValues = (settings) => Object.fromEntries(settings.map(({ name, initial }) => [name, initial]));

/** Those that mean something beside the others. @param {readonly Setting[]} settings @param {Values} values */
export const settingsOf = (settings, values) => settings.filter(({ when }) => !when || when(values));

/**
 * What was entered, as values; in the place of what is wrong stands the value before, and a message says why.
 * @param {readonly Setting[]} settings
 * @param {Record<string, unknown>} entered
 * @param {Values} before
 */
export function readSettings(settings, entered, before) {
  /** @type {Record<string, string>} */
  const errors = {};
  /** @type {Values} */
  const values = {};
  for (const setting of settings) {
    const { name } = setting;
    const read = name in entered ? parsed(setting, entered[name]) : { value: setting.initial };
    const got = ['integer', 'number'].includes(setting.kind) ? gotText : quoted;
    if (!read) errors[name] = `${name} must be ${ruleOf(setting)}, got ${got(entered[name])}`;
    values[name] = read ? read.value : before[name];
  }
  return { values, errors };
}

/**
 * The value that is meant; null for none.
 * @param {Setting} setting @param {unknown} raw @returns {{ value: any } | null}
 */
function parsed(setting, raw) {
  const text = String(raw ?? '').trim();
  if (setting.kind === 'choice') return setting.choices.some(({ value }) => value === text) ? { value: text } : null;
  if (setting.kind === 'text') return text === setting.initial || setting.pattern.test(text) ? { value: text } : null;
  if (setting.kind === 'integer' && setting.optional && text === '') return { value: null };
  const value = text === '' ? NaN : Number(text.replace(/,/g, ''));
  return isWithin(setting, value) ? { value } : null;
}

/** @param {Integer | Decimal} setting @param {number} value */
const isWithin = (setting, value) =>
  setting.kind === 'integer'
    ? Number.isInteger(value) && value >= setting.min && value <= setting.max
    : value > setting.above && value <= setting.max;

/** @param {Setting} setting */
function ruleOf(setting) {
  if (setting.kind === 'text') return setting.rule;
  if (setting.kind === 'integer') return `an integer from ${setting.min} to ${setting.max}`;
  if (setting.kind === 'number') return `a number above ${setting.above}, up to ${setting.max}`;
  const words = setting.choices.map(({ value }) => value);
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/**
 * Every setting that means something, so that a link means the same after an initial value has changed.
 * @param {readonly Setting[]} settings @param {Values} values
 */
export const writeSettings = (settings, values) =>
  settingsOf(settings, values)
    .filter(({ kind, name, initial }) => kind !== 'text' || values[name] !== initial)
    .filter(({ name }) => values[name] !== null)
    .map(({ name }) => /** @type {[string, string]} */ ([name, String(values[name])]));

/** For random numbers. @type {Integer} */
export const seedSetting = { name: 'seed', label: 'Seed', kind: 'integer', min: 0, max: 2 ** 32 - 1, initial: 0 };

/** Powers of two. @param {number} from @param {number} to */
export const powersOfTwo = (from, to) =>
  Array.from({ length: Math.log2(to / from) + 1 }, (_, index) => from * 2 ** index);

/** All integers. @param {number} from @param {number} to */
export const integers = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
