// What a reader asks of one trained layer: of an example, of a nudge, of any tensor.

import { tensorsBetween } from '../between.js';
import { softmax } from '../softmax.js';
import { blanked, overHeads, stepsOf } from './looks.js';
import { directions, gradientTimesInput } from './gradients.js';
import { mean } from './statistics.js';
import { rowsOf, start } from './trial.js';

/**
 * @typedef {import('./trial.js').Trial} Trial
 * @typedef {import('./tasks.js').Tensor} Tensor
 * @typedef {{ logits: number[], weights: number[] | null }} Said `weights`: of each step, the mean of all heads
 * @typedef {{ index: number, day: number, feature: number, by: number }} Nudge
 */

/** Tasks by name, as `contest.ask` has them. */
export const asks = { example, nudge, nudgeAll, tensors, tensor, words };

/** @param {Trial} trial @param {number} index @returns {{ inputs: Record<string, Tensor>, labels: any }} */
function rowOf({ heldOut }, index) {
  const count = heldOut.labels.length;
  if (!Number.isInteger(index) || index < 0 || index >= count)
    throw new RangeError(`index must be an integer from 0 to ${count - 1}, got ${index}`);
  const row = (/** @type {Tensor} */ tensor) => rowsOf(tensor, [index]);
  return {
    inputs: Object.fromEntries(Object.entries(heldOut.inputs).map(([name, tensor]) => [name, row(tensor)])),
    labels: heldOut.labels.subarray(index, index + 1)
  };
}

/** @param {any} model @param {Record<string, Tensor>} inputs @returns {Said} */
function saidOf(model, inputs) {
  const { output, weights } = model.forward(inputs);
  return { logits: [...output.data], weights: weights ? [...overHeads(weights).values] : null };
}

/**
 * One held-out example.
 * @param {Trial} trial @param {{ index: number }} asked
 * @returns {{ inputs: Record<string, Tensor>, label: number, said: number[], weights: number[] | null,
 *   gradients: number[], lost: number[], days: number[], texts: string[] | null }} `gradients`: |gradient · input| of
 * each day; `lost`: by how
 *   much the right answer falls when the day is blank: its logit less the mean of the others', or how far the number
 *   moves; `days`: those that decide; `texts`: its words
 */
function example(trial, { index }) {
  const row = rowOf(trial, index);
  const { logits, weights } = saidOf(trial.trainer.model, row.inputs);
  const right = row.labels[0];
  return {
    ...{ inputs: row.inputs, label: right, said: logits, weights },
    gradients: [...gradientTimesInput(trial, row).values],
    lost: lostOf(trial, row.inputs, right),
    days: trial.heldOut.days[index] ?? [],
    texts: trial.heldOut.texts?.[index] ?? null
  };
}

/**
 * By how much the lead of a class over the mean of the others falls when a step is blank, for each step of one example;
 * of a number how far it moves.
 * @param {Trial} trial @param {Record<string, Tensor>} inputs of one @param {number} label
 */
function lostOf(trial, inputs, label) {
  const { logits } = saidOf(trial.trainer.model, inputs);
  const lead = (/** @type {number[]} */ said) => {
    if (said.length === 1) return -Math.abs(said[0] - logits[0]);
    return said[label] - mean(said.filter((_, one) => one !== label));
  };
  return Array.from({ length: stepsOf(inputs) }, (_, step) => {
    return (
      lead(logits) -
      lead(
        saidOf(
          trial.trainer.model,
          blanked(inputs, () => step)
        ).logits
      )
    );
  });
}

/** @param {Record<string, Tensor>} inputs @param {Omit<Nudge, 'index'>} by @returns {Record<string, Tensor>} */
function nudged(inputs, { day, feature, by }) {
  const { features } = inputs;
  if (!features) throw new RangeError('a token cannot be nudged: choose a task of numbers');
  const [count, days, width] = features.shape;
  for (const [name, value, end] of /** @type {const} */ ([
    ['day', day, days],
    ['feature', feature, width]
  ]))
    if (!Number.isInteger(value) || value < 0 || value >= end)
      throw new RangeError(`${name} must be an integer from 0 to ${end - 1}, got ${value}`);
  if (!Number.isFinite(by)) throw new RangeError(`by must be a number, got ${by}`);
  const data = /** @type {Float32Array} */ (features.data.slice());
  for (let row = 0; row < count; row += 1) data[(row * days + day) * width + feature] += by;
  return { ...inputs, features: { data, shape: features.shape } };
}

/**
 * What moves when one number of an example does, now and before the first step.
 * @param {Trial} trial @param {Nudge} asked
 * @returns {{ before: Said, after: Said, untrained: { before: Said, after: Said } }}
 */
function nudge(trial, { index, ...by }) {
  const { inputs } = rowOf(trial, index);
  const moved = nudged(inputs, by);
  const both = (/** @type {any} */ model) => ({ before: saidOf(model, inputs), after: saidOf(model, moved) });
  const { scope, entrant, seed, trainer } = trial;
  const untrained = scope.create(/** @type {any} */ (entrant.config), { seed });
  try {
    start(untrained, entrant.starts);
    return { ...both(trainer.model), untrained: both(untrained) };
  } finally {
    untrained.dispose();
  }
}

/**
 * By how much the same nudge moves the answer of every held-out example: logit 1 less logit 0, or the number.
 * @param {Trial} trial @param {Omit<Nudge, 'index'>} by
 */
function nudgeAll(trial, by) {
  const { inputs } = trial.heldOut;
  const answers = (/** @type {Record<string, Tensor>} */ given) => {
    const { data, shape } = trial.trainer.model.forward(/** @type {any} */ (given), { need_weights: false }).output;
    const classes = shape.at(-1) ?? 1;
    return Array.from({ length: data.length / classes }, (_, row) =>
      classes === 1 ? data[row] : data[row * classes + 1] - data[row * classes]
    );
  };
  const before = answers(inputs);
  const changes = answers(nudged(inputs, by)).map((after, row) => after - before[row]);
  const middle = mean(changes);
  return { mean: middle, deviation: Math.sqrt(mean(changes.map((change) => (change - middle) ** 2))) };
}

/**
 * Everything that can be drawn.
 * @param {Trial} trial
 * @returns {{ name: string, shape: number[], axes: readonly string[], of: 'parameter' | 'step' | 'input' }[]} shapes
 *   of one example; parameters have no axes
 */
function tensors(trial) {
  const { scope, entrant, trainer } = trial;
  const config = /** @type {any} */ ({ ...entrant.config, batch_size: 1 });
  const estimate = /** @type {any} */ (scope.estimate(config, { tensors: true }));
  const named = tensorsBetween(estimate).flatMap(({ tensors: own }) => own);
  const asked = /** @type {any} */ ({ tensors: named.map(({ name }) => name) });
  const made = /** @type {any} */ (trainer.model.forward(/** @type {any} */ (rowOf(trial, 0).inputs), asked)).tensors;
  const between = named.map(({ name, axes }) => ({
    ...{ name, axes, shape: made[name].shape },
    of: /** @type {const} */ ('step')
  }));
  // Weights are among the steps, those of each layer of a stack by its name.
  const results = estimate.results
    .filter((/** @type {any} */ { name }) => name === 'output' && !between.some((one) => one.name === name))
    .map((/** @type {any} */ { name, shape, axes = [] }) => ({ name, shape, axes, of: 'step' }));
  const parameters = Object.entries(trainer.model.stateDict());
  return [
    ...estimate.inputs.map((/** @type {any} */ { name, shape, axes = [] }) => ({ name, shape, axes, of: 'input' })),
    ...[...between, ...results],
    ...parameters.map(([name, { shape }]) => ({ name, shape, axes: [], of: /** @type {const} */ ('parameter') }))
  ];
}

/**
 * One tensor, or the gradient of it: of a parameter that of the loss in the last step; of all else, for one held-out
 * example, that of the right class's logit less the mean of the others', or of the number.
 * @param {Trial} trial @param {{ name: string, gradient?: boolean, index?: number }} asked
 * @returns {Tensor}
 */
function tensor(trial, { name, gradient = false, index = 0 }) {
  const { model } = trial.trainer;
  const parameters = gradient ? trial.trainer.gradients() : model.stateDict();
  if (parameters[name]) return parameters[name];
  if (gradient && model.stateDict()[name])
    throw new RangeError('A parameter has a gradient after the first step: make one.');
  const { inputs, labels } = rowOf(trial, index);
  if (!gradient && inputs[name]) return inputs[name];
  const given = /** @type {any} */ (inputs);
  if (!gradient) {
    const results = /** @type {any} */ (model.forward(given));
    return results[name] ?? /** @type {any} */ (model.forward(given, { tensors: [name] })).tensors[name];
  }
  const output = directions(labels, trial.entrant.config.num_classes);
  if (name === 'output') return output;
  if (inputs[name]) return inputGradient(model.backward(given, { output }).inputs[name], name);
  const own = name.replace('masked_', ''); // a mask is added to scores: the gradient by both is the same
  return /** @type {any} */ (model).backward(given, { output }, { tensors: [own] }).tensors[own];
}

/** @param {Tensor | undefined} gradient @param {string} name */
function inputGradient(gradient, name) {
  if (!gradient) throw new RangeError(`${name} are no numbers that could be a little larger: they have no gradient`);
  return gradient;
}

/**
 * What it says of a text of the reader's own.
 * @param {Trial} trial @param {{ text: string }} asked
 * @returns {{ words: string[], unknown: string[], left: number, said: number[], shares: number[],
 *   weights: number[] | null, gradients: number[], lost: number[] }} `unknown`: words that the training part does not
 * have
 *   often enough; `left`: how many are left out at the end; `shares`: of each class, after softmax; the rest of each
 *   word, `gradients` and `lost` of the class that it says
 */
function words(trial, { text }) {
  const { reader, entrant } = trial;
  if (!reader) throw new RangeError('this task takes no text');
  const { tokens, words: read, unknown, left } = reader.read(text);
  const shape = [1, entrant.config.seq_len];
  const ids = Int32Array.from({ length: shape[1] }, (_, at) => tokens[at] ?? entrant.config.padding_idx);
  const mask = Uint8Array.from({ length: shape[1] }, (_, at) => Number(at < tokens.length));
  const inputs = { tokens: { data: ids, shape }, mask: { data: mask, shape } };
  const { logits, weights } = saidOf(trial.trainer.model, inputs);
  const own = (/** @type {readonly number[]} */ values) => values.slice(0, tokens.length);
  const label = logits.indexOf(Math.max(...logits));
  return {
    ...{ words: read, unknown, left, said: logits, shares: softmax(logits), weights: weights && own(weights) },
    gradients: own([...gradientTimesInput(trial, { inputs, labels: Int32Array.of(label) }).values]),
    lost: own(lostOf(trial, inputs, label))
  };
}
