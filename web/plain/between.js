// The tensors between the steps of a layer that a run can show. No DOM.

import { outputsOf } from './outputs.js';

/**
 * @typedef {{ name: string, axes: readonly string[], line: string }} Between `line`: the PyTorch that makes it
 */

/**
 * Of an estimate with `tensors`: by what its step makes, each layer of a stack by itself.
 * @param {any} estimate
 * @returns {{ title: string, tensors: Between[] }[]}
 */
export function tensorsBetween({ steps = [], tensors = {} }) {
  /** @type {Map<string, { axes: readonly string[], line: string }>} */
  const made = new Map(
    steps.flatMap((/** @type {any} */ step) => {
      const outputs = outputsOf(step);
      const line = `${outputs.map(({ name }) => name).join(', ')} = ${step.pytorch}`;
      return outputs.map(({ name, axes }) => [name, { axes, line }]);
    })
  );
  return Object.entries(tensors).map(([title, names]) => {
    const axes = (made.get(title) ?? made.get(title.replace(/^masked_/, '')))?.axes ?? [];
    const line = made.get(title)?.line ?? `${title}: those scores with the mask added`;
    return { title, tensors: names.map((/** @type {string} */ name) => ({ name, axes, line })) };
  });
}

/**
 * What a run calls a result: the output by the name that the steps have for it. Of an output that a stack of layers
 * makes, the steps' name says nothing outside of the stack.
 * @param {{ name: string, tensor: string, repeat: number }} result
 */
export const resultName = ({ name, tensor, repeat }) => (name === 'output' && repeat === 1 ? tensor : name);

/**
 * By its name; by what the step makes, the first of a stack. A result is drawn in any case, so that none is by its
 * name.
 * @param {any} estimate @param {string} name
 * @returns {Between | undefined}
 */
export function tensorBetween(estimate, name) {
  if (estimate.results?.some((/** @type {any} */ result) => resultName(result) === name)) return undefined;
  const groups = tensorsBetween(estimate);
  const named = groups.flatMap(({ tensors }) => tensors).find((one) => one.name === name);
  return named ?? groups.find(({ title }) => title === name)?.tensors[0];
}
