// What a step of an estimate makes: one tensor, or several.

/**
 * In their order.
 * @param {any} step
 * @returns {import('../lib/index.js').Output[]}
 */
export const outputsOf = ({ output, shape, axes, further_outputs = [] }) => [
  { name: output, shape, axes },
  ...further_outputs
];
