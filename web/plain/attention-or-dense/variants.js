// The layers that are compared: each a sequence_classifier that pools in its own way.

/**
 * @typedef {'none' | 'tanh' | 'scaled_tanh'} Tanh what is done to the score of a time step
 *
 * @typedef {object} Variant
 * @property {string} name as the address has it
 * @property {string} title of steps that are days; inSteps() has it for others
 * @property {string} about what it can see, in a line
 * @property {'attention' | 'dense' | 'plain'} kind
 * @property {Record<string, any>} fields of sequence_classifier
 * @property {string} [width] the field by which its size is matched to a budget; none where nothing can grow
 * @property {{ of: string, is: Tanh }} [tanh] of those that can have it otherwise: `of` names what they have in common
 */

/** An input projection, by which a layer without a width of its own grows. */
const PROJECTED = { encoder: 'dense', activation: 'none' };

const LSTM = { encoder: 'lstm', hidden_size: 16 };

/** @type {readonly { is: Tanh, title: string, weights: (score: string) => string }[]} */
const TANHS = [
  { is: 'none', title: 'no tanh', weights: (score) => `softmax(${score})` },
  { is: 'tanh', title: 'tanh', weights: (score) => `softmax(tanh(${score}))` },
  { is: 'scaled_tanh', title: 'scaled tanh', weights: (score) => `softmax(s tanh(${score}))` }
];

/**
 * A layer of weights by time step, with every function of its scores; the usual function is not in its name.
 * @param {Pick<Variant, 'name' | 'title' | 'about'> & { score?: string, score_by: string, usual: Tanh,
 *   encoder?: typeof LSTM }} layer `score`: a formula, if the title is to have that of the weights
 * @returns {Variant[]}
 */
const timesteps = ({ name, title, about, score, score_by, usual, encoder }) =>
  TANHS.toSorted((one, other) => Number(other.is === usual) - Number(one.is === usual)).map((tanh) => {
    const isUsual = tanh.is === usual;
    const plain = isUsual ? title : `${title}, ${tanh.title}`;
    return {
      name: isUsual ? name : `${name}_${tanh.is}`,
      title: score ? `${title}, ${tanh.weights(score)}` : plain,
      about,
      kind: 'attention',
      fields: { ...encoder, pooling: 'timestep', score_by, score_activation: tanh.is },
      ...(encoder && { width: 'hidden_size' }),
      tanh: { of: name, is: tanh.is }
    };
  });

/** @type {readonly Variant[]} */
export const variants = [
  { name: 'last', title: 'Last day', about: 'the last day alone', kind: 'plain', fields: { pooling: 'last' } },
  { name: 'mean', title: 'Mean', about: 'the average of all days', kind: 'plain', fields: { pooling: 'mean' } },
  {
    name: 'max',
    title: 'Maximum',
    about: 'the largest value of each feature',
    kind: 'plain',
    fields: { pooling: 'max' }
  },
  ...timesteps({
    name: 'position',
    title: 'Weights by position',
    about: 'a learned weight for each day, the same in every example',
    score_by: 'position',
    usual: 'none'
  }),
  ...timesteps({
    name: 'timestep',
    title: 'Time-step attention',
    about: 'a weight by what a day holds and by where it stands',
    score: 'x W + b',
    score_by: 'content_and_position',
    usual: 'tanh'
  }),
  {
    name: 'linear',
    title: 'Linear scorer',
    about: 'softmax of one linear score of each day',
    kind: 'attention',
    fields: { pooling: 'linear' }
  },
  ...[1, 2, 4, 8].map(
    (width) =>
      /** @type {Variant} */ ({
        name: `additive_${width}`,
        title: `Additive scorer, ${width} wide`,
        about: 'a tanh layer between a day and its score',
        kind: 'attention',
        fields: { pooling: 'additive', attn_dim: width },
        width: 'attn_dim'
      })
  ),
  {
    name: 'additive',
    title: 'Additive scorer',
    about: 'a tanh layer between a day and its score',
    kind: 'attention',
    fields: { pooling: 'additive', attn_dim: 16 },
    width: 'attn_dim'
  },
  {
    name: 'gated',
    title: 'Gated scorer',
    about: 'a tanh layer times a gate between a day and its score',
    kind: 'attention',
    fields: { pooling: 'gated', attn_dim: 16 },
    width: 'attn_dim'
  },
  {
    name: 'heads',
    title: 'Two heads',
    about: 'multi-head attention of a learned query to all days',
    kind: 'attention',
    fields: { pooling: 'multihead', num_heads: 2 }
  },
  {
    name: 'heads_position',
    title: 'Two heads and positions',
    about: 'multi-head attention of a learned query to all days, with a learned vector for each position',
    kind: 'attention',
    fields: { pooling: 'multihead', num_heads: 2, position: 'learned' }
  },
  {
    name: 'linear_position',
    title: 'Linear scorer and positions',
    about: 'one linear score of each day, with a learned vector for each position',
    kind: 'attention',
    fields: { pooling: 'linear', position: 'learned' }
  },
  {
    name: 'transformer',
    title: 'Transformer layer',
    about: 'every day attends to every day, then their mean',
    kind: 'attention',
    fields: { encoder: 'transformer', hidden_size: 16, num_heads: 2, intermediate_size: 32, pooling: 'mean' },
    width: 'hidden_size'
  },
  {
    name: 'transformer_position',
    title: 'Transformer layer and positions',
    about: 'every day attends to every day, with a learned vector for each position, then their mean',
    kind: 'attention',
    fields: {
      ...{ encoder: 'transformer', hidden_size: 16, num_heads: 2, intermediate_size: 32, pooling: 'mean' },
      position: 'learned'
    },
    width: 'hidden_size'
  },
  {
    name: 'lstm',
    title: 'LSTM',
    about: 'reads day by day; its state after the last day',
    kind: 'plain',
    fields: { ...LSTM, pooling: 'last' },
    width: 'hidden_size'
  },
  {
    name: 'lstm_mean',
    title: 'LSTM, mean',
    about: 'reads day by day; the average of its states',
    kind: 'plain',
    fields: { ...LSTM, pooling: 'mean' },
    width: 'hidden_size'
  },
  ...timesteps({
    name: 'lstm_timestep',
    title: 'LSTM under time-step attention',
    about: 'reads day by day; a weight for each state, by what it holds and by where it stands',
    score_by: 'content_and_position',
    usual: 'tanh',
    encoder: LSTM
  }),
  {
    name: 'lstm_additive',
    title: 'LSTM under an additive scorer',
    about: 'reads day by day; a tanh layer between a state and its score',
    kind: 'attention',
    fields: { ...LSTM, pooling: 'additive', attn_dim: 16 },
    width: 'hidden_size'
  },
  {
    name: 'lstm_flat',
    title: 'LSTM, dense over all days',
    about: 'reads day by day; one weight for each number of each state',
    kind: 'dense',
    fields: { ...LSTM, pooling: 'flatten' },
    width: 'hidden_size'
  },
  {
    name: 'dense',
    title: 'Dense on each day',
    about: 'the same ReLU layer on every day, then their mean',
    kind: 'dense',
    fields: { encoder: 'dense', hidden_size: 16, activation: 'relu', pooling: 'mean' },
    width: 'hidden_size'
  },
  {
    name: 'dense_linear',
    title: 'Dense on each day, linear',
    about: 'the same linear layer on every day, then their mean',
    kind: 'dense',
    fields: { encoder: 'dense', hidden_size: 8, activation: 'none', pooling: 'mean' },
    width: 'hidden_size'
  },
  {
    name: 'dense_last',
    title: 'Dense, last day',
    about: 'a ReLU layer on the last day alone',
    kind: 'dense',
    fields: { encoder: 'dense', hidden_size: 16, activation: 'relu', pooling: 'last' },
    width: 'hidden_size'
  },
  {
    name: 'flat',
    title: 'Dense over all days',
    about: 'one weight for each number of each day',
    kind: 'dense',
    fields: { pooling: 'flatten' }
  },
  {
    name: 'flat_hidden',
    title: 'Dense over all days, hidden layer',
    about: 'a ReLU layer over all numbers of all days',
    kind: 'dense',
    fields: { pooling: 'flatten', head_size: 8, activation: 'relu' },
    width: 'head_size'
  }
];

/** Layers over an LSTM that are compared with each other, by name. */
export const OVER_LSTM = ['lstm', 'lstm_mean', 'lstm_timestep', 'lstm_additive', 'lstm_flat'];

/** @typedef {'day' | 'word' | 'letter' | 'column' | 'step'} Step how a time step of a task is called */

/**
 * A variant whose title and line speak of a task's steps.
 * @param {Variant} variant @param {Step} step @returns {Variant}
 */
export function inSteps(variant, step) {
  const [title, about] = [variant.title, variant.about].map((text) =>
    text.replaceAll(/\bday/g, step).replaceAll(/\bDay/g, step[0].toUpperCase() + step.slice(1))
  );
  return { ...variant, title, about };
}

/** @param {unknown} name */
export const variantNamed = (name) => variants.find((variant) => variant.name === name);

/** The same layer with another function of its scores. @param {Variant} variant @param {Tanh} is */
export const withTanh = ({ tanh }, is) =>
  variants.find((one) => tanh && one.tanh?.of === tanh.of && one.tanh.is === is);

/** Whether weights tell which days it looks at. @param {Variant} variant */
export const hasWeights = ({ fields }) => !['last', 'mean', 'max', 'flatten'].includes(fields.pooling);

/** Whether a trained one has a meaning for another number of days. @param {{ fields: Record<string, any> }} variant */
export const fitsOtherLengths = ({ fields }) =>
  !['timestep', 'flatten'].includes(fields.pooling) && fields.position !== 'learned';

/** What a layer without a width gets, so that it can be matched. @param {Variant} variant */
export const widened = (variant) =>
  variant.width ? variant : { ...variant, width: 'hidden_size', fields: { ...variant.fields, ...PROJECTED } };
