// What a run has learned, in a sentence.

import { formatPercent, formatThings } from '../format.js';

/** @typedef {import('./history.js').Point} Point */

const MOSTLY = 0.9;
// Of the way from guessing to always right:
const SOME = 0.25;
const HALF = 0.5;
/** So many times as often right as guessing is no accident. */
const TIMES = 2;

/** @param {Point} point @param {number} chance the accuracy of guessing */
export function learnedText({ step, accuracy, held_accuracy: held }, chance) {
  if (step === 0) return `Nothing is learned yet: guessing is right in ${formatPercent(chance)} of cases.`;
  const steps = `After ${formatThings(step, 'step')}`;
  const rates = `it is right in ${formatPercent(held)} of cases that it has not seen, where guessing would be in ${formatPercent(chance)}`;
  const way = chance < 1 ? (held - chance) / (1 - chance) : 0;
  const hasPart = way >= SOME || (way > 0 && held >= TIMES * chance);
  if (held >= MOSTLY && way >= HALF) return `${steps} the layer has learned the rule: ${rates}.`;
  if (hasPart) return `${steps} the layer has learned a part of it: ${rates}.`;
  if (accuracy >= MOSTLY)
    return `${steps} the layer knows its training examples by heart, ${formatPercent(accuracy)} of them, and no rule: ${rates}.`;
  return `${steps} the layer has learned hardly anything: ${rates}.`;
}
