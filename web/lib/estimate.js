// Reads an estimate as the core writes it. Steps and timeline come as values without keys, and what follows from the
// rest does not come: half of the time of an estimate goes into its text.

/**
 * @typedef {import('./types.js').Estimate} Estimate
 * @typedef {import('./types.js').Step} Step
 * @typedef {Estimate['timeline'][number]} Lifetime
 */

/**
 * @param {any[]} values of each step, one after another; lists after their lengths
 * @param {import('./types.js').Axis[]} axes the names of the axes, which steps have as numbers
 * @returns {Step[]}
 */
function stepsOf(values, axes) {
  let at = 0;
  const next = () => values[at++];
  const take = (/** @type {number} */ count) => {
    at += count;
    return values.slice(at - count, at);
  };
  const list = () => take(next());
  const steps = [];
  while (at < values.length) {
    const [name, op, part] = take(3);
    const [inputs, output] = [list(), next()];
    const shape = list();
    steps.push({
      name,
      op,
      part,
      inputs,
      output,
      shape,
      axes: take(shape.length).map((axis) => axes[axis]),
      repeat: next(),
      parameters: next(),
      macs: next(),
      elementwise: next(),
      bytes_moved: next(),
      saved_bytes: next(),
      pytorch: next()
    });
  }
  return steps;
}

/**
 * @param {any[]} values
 * @returns {Lifetime[]}
 */
function timelineOf(values) {
  const timeline = [];
  for (let at = 0; at < values.length; at += 4) {
    const [tensor, bytes, born, freed] = values.slice(at, at + 4);
    timeline.push({ tensor, bytes, born, freed });
  }
  return timeline;
}

/**
 * @param {string} text
 * @returns {Estimate}
 */
export function readEstimate(text) {
  const {
    config,
    parameters,
    macs,
    flops,
    elementwise,
    operations,
    bytes_moved,
    inputs,
    results,
    parts,
    axes,
    steps: stepValues,
    memory,
    timeline,
    kv_cache
  } = JSON.parse(text);
  const steps = stepsOf(stepValues, axes);
  /** @type {Record<string, number[]>} */
  const shapes = {};
  for (const { output, shape } of steps) shapes[output] = [...shape];
  return {
    layer: config.layer,
    config,
    parameters,
    macs,
    flops,
    elementwise,
    operations,
    bytes_moved,
    inputs,
    results,
    output_shape: [...results[0].shape],
    shapes,
    parts,
    steps,
    memory,
    timeline: timelineOf(timeline),
    kv_cache
  };
}
