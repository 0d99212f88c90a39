// An estimate as the core writes it. Its longest tables come as rows without keys: to write and to read those
// took a tenth of the time of it all.

/**
 * @typedef {import('./types.js').Estimate} Estimate
 * @typedef {import('./types.js').Step} Step
 * @typedef {Estimate['timeline'][number]} Lifetime
 * @typedef {[string, string, string, string[], string, number[], number, number, number, number, number, number, string]} StepRow
 * @typedef {[string, number, number, number]} LifetimeRow
 */

/**
 * @param {StepRow} row
 * @returns {Step}
 */
const stepOf = ([
  name, op, part, inputs, output, shape, repeat, parameters, macs, elementwise, bytes_moved, saved_bytes, pytorch
]) => (
  { name, op, part, inputs, output, shape, repeat, parameters, macs, elementwise, bytes_moved, saved_bytes, pytorch }
);

/**
 * @param {LifetimeRow} row
 * @returns {Lifetime}
 */
const lifetimeOf = ([tensor, bytes, born, freed]) => ({ tensor, bytes, born, freed });

/**
 * @param {string} text
 * @returns {Estimate}
 */
export function readEstimate(text) {
  const estimate = JSON.parse(text);
  estimate.steps = estimate.steps.map(stepOf);
  estimate.timeline = estimate.timeline.map(lifetimeOf);
  return estimate;
}
