// What a nudge did, in a sentence for each layer, from its numbers.

import { DAYS } from './minute-layers.js';

/** @typedef {import('./minute-layers.js').Look} Look @typedef {import('./minute-layers.js').Compared} Compared */

/**
 * @typedef {object} Told
 * @property {import('./variants.js').Variant} variant
 * @property {Look} now
 * @property {Look} before the nudge; without one the same
 * @property {{ day: number, feature: number, by: number } | null} nudge
 * @property {Compared | null} compared
 * @property {number} peak the day whose volume is highest
 */

const THIN = '\u202f';
/** Moves that differ by less are the same for a reader. */
const SAME = 5e-4;

/** `67 %`, `4.1 %`, `0.03 %`. @param {number} share */
export function shareText(share) {
  const percent = 100 * share;
  if (percent !== 0 && percent < 0.005) return `under 0.01${THIN}%`;
  return `${percent.toFixed(percent >= 9.95 ? 0 : percent >= 0.095 ? 1 : 2)}${THIN}%`;
}

/** `+9.04`, `−0.123`; what is too small to see is 0. @param {number} value */
export function signed(value) {
  const size = Math.abs(value);
  const text = size.toFixed(size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3);
  if (Number(text) === 0) return '0';
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** The first is 1. @param {number} day */
export const dayText = (day) => `day ${day + 1}`;

/** @param {string} text */
const capital = (text) => text[0].toUpperCase() + text.slice(1);

/** @param {Told} told @returns {string} */
export function sentence(told) {
  const { variant } = told;
  if (variant.kind === 'attention') return told.nudge ? attentionMoved(told) : attentionStill(told);
  const isFlat = variant.fields.pooling === 'flatten';
  if (!told.nudge) return isFlat ? flatStill(told) : dailyStill(told);
  return isFlat ? flatMoved(told) : dailyMoved(told);
}

/** @param {readonly number[]} shares */
const largest = (shares) => shares.indexOf(Math.max(...shares));

/** @param {Told} told */
function attentionStill({ now: { shares }, peak }) {
  const most = largest(shares);
  if (shares[most] < 2 / DAYS)
    return `No day has more than ${shareText(shares[most])} of the weight; even shares would be ${shareText(1 / DAYS)}.`;
  if (most === peak)
    return `${capital(shareText(shares[most]))} of the weight is on ${dayText(most)}, the peak, so its price decides.`;
  return `Most weight, ${shareText(shares[most])}, is on ${dayText(most)}; the peak, ${dayText(peak)}, has ${shareText(shares[peak])}.`;
}

/** @param {Told} told */
function dailyStill({ now: { shares } }) {
  const most = largest(shares);
  return `One layer for all days: none can count more than another, and the largest bar is ${shareText(shares[most])}, ${dayText(most)}.`;
}

/** @param {Told} told */
function flatStill({ now: { shares }, peak }) {
  const most = largest(shares);
  if (most === peak)
    return `Here its largest bar, ${shareText(shares[most])}, is on the peak; its weights are the same in every example.`;
  return `Its largest bar, ${shareText(shares[most])}, is on ${dayText(most)}, not on the peak: its weights are the same in every example.`;
}

/** A weight that moved by less than this, in shares, is said to stay. */
const SEEN = 1e-3;

/** @param {Told} told */
function attentionMoved({ now, before, nudge, compared, peak }) {
  const { day } = /** @type {NonNullable<Told['nudge']>} */ (nudge);
  const move = now.answer - before.answer;
  const moves = now.shares.map((share, at) => Math.abs(share - before.shares[at]));
  const here = shareText(now.shares[day]);
  if (Math.max(...moves) < SEEN)
    return `The logit moves by ${signed(move)}: ${dayText(day)} has ${here} of the weight, and no weight moves.${elsewhereText(compared)}`;
  const other = largest(moves.map((value, at) => (at === day ? 0 : value)));
  const of = (/** @type {number} */ at) => `${shareText(before.shares[at])} to ${shareText(now.shares[at])}`;
  const name = `${dayText(other)}${other === peak ? ', the peak,' : ''}`;
  return `${capital(dayText(day))} goes from ${of(day)} of the weight and ${name} from ${of(other)}: all weights share 100${THIN}%. The logit moves by ${signed(move)}.`;
}

/** @param {Compared | null} compared */
const elsewhereText = (compared) =>
  compared ? ` On other days the same nudge moves it by ${rangeText(compared.elsewhere)}.` : '';

/** @param {import('./minute-layers.js').Range} range */
const rangeText = ({ low, high }) => `${signed(low)} to ${signed(high)}`;

/** @param {number} move */
const movedText = (move) => (signed(move) === '0' ? 'The logit stays as it was' : `The logit moves by ${signed(move)}`);

/** @param {Told} told */
function dailyMoved({ now, before, compared }) {
  const moved = movedText(now.answer - before.answer);
  if (!compared) return `${moved}.`;
  const { low, high } = compared.elsewhere;
  if (high - low < SAME)
    return `${moved}, and the same nudge on any other day would do the same: it cannot tell days apart.`;
  return `${moved}.${elsewhereText(compared)}`;
}

/** @param {Told} told */
function flatMoved({ now, before, nudge, compared }) {
  const moved = movedText(now.answer - before.answer);
  if (!compared || !nudge) return `${moved}.`;
  const { others } = compared;
  if (others.deviation < SAME)
    return `${moved}, as in every other example: ${dayText(nudge.day)} has weights of its own, whatever the other days hold.`;
  return `${moved}; in other examples by ${rangeText(others)}.`;
}
