// How an answer hangs on each step of an example: gradient × input, summed over features.

/**
 * @typedef {import('./trial.js').Trial} Trial
 * @typedef {import('./tasks.js').Tensor} Tensor
 * @typedef {{ inputs: Record<string, Tensor>, labels: Int32Array | Float32Array }} Rows
 */

const AT_ONCE = 256;

/**
 * |gradient · input| of each step of each example: of the right class's logit less the mean of the others', or of the
 * number that is said.
 * @param {Trial} trial @param {Rows} rows
 * @returns {{ values: Float64Array, steps: number }} example by example
 */
export function gradientTimesInput(trial, { inputs, labels }) {
  const embedded = withEmbedding(trial, inputs);
  try {
    const [count, steps, width] = embedded.features.shape;
    const values = new Float64Array(count * steps);
    for (let begin = 0; begin < count; begin += AT_ONCE) {
      const end = Math.min(count, begin + AT_ONCE);
      const part = Object.fromEntries(
        Object.entries(embedded.inputs).map(([name, one]) => [name, slice(one, begin, end)])
      );
      const output = directions(labels.subarray(begin, end), trial.entrant.config.num_classes);
      const gradient = embedded.model.backward(part, { output }).inputs.features.data;
      const features = part.features.data;
      gradient.forEach((/** @type {number} */ value, /** @type {number} */ place) => {
        values[begin * steps + Math.floor(place / width)] += value * features[place];
      });
    }
    return { values: values.map(Math.abs), steps };
  } finally {
    embedded.dispose();
  }
}

/**
 * The gradient by a result: of the right class's logit less the mean of the others', or of a number.
 * @param {Int32Array | Float32Array} labels @param {number} classes
 */
export function directions(labels, classes) {
  const data = new Float32Array(labels.length * classes).fill(classes > 1 ? -1 / (classes - 1) : 1);
  if (classes > 1) labels.forEach((label, row) => (data[row * classes + label] = 1));
  return { data, shape: [labels.length, classes] };
}

/** @param {Tensor} tensor @param {number} begin @param {number} end of its rows */
function slice({ data, shape: [count, ...rest] }, begin, end) {
  const length = data.length / count;
  return { data: data.subarray(begin * length, end * length), shape: [end - begin, ...rest] };
}

/**
 * The trial's model with the vectors of tokens as inputs: the same layer without its embedding, where it has one.
 * @param {Trial} trial @param {Record<string, Tensor>} inputs
 * @returns {{ model: any, inputs: Record<string, any>, features: Tensor, dispose: () => void }}
 */
function withEmbedding({ scope, trainer, entrant }, inputs) {
  if (!inputs.tokens) return { model: trainer.model, inputs, features: inputs.features, dispose: () => {} };
  const { tokens, ...rest } = inputs;
  const { 'embedding.weight': table, ...state } = trainer.model.stateDict();
  const model = scope.create(/** @type {any} */ ({ ...entrant.config, input: 'features', padding_idx: null }));
  model.loadStateDict(state);
  const width = table.shape[1];
  const data = new Float32Array(tokens.data.length * width);
  tokens.data.forEach((token, at) => data.set(table.data.subarray(token * width, (token + 1) * width), at * width));
  const features = { data, shape: [...tokens.shape, width] };
  return { model, inputs: { ...rest, features }, features, dispose: () => model.dispose() };
}
