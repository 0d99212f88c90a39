// Training runs for PyTorch to repeat: every optimizer, loss and schedule, and the tutorial's classifier with dropout.
// `npm test` has the first run of each.

import { Draw, ids } from './draw.js';

/** @typedef {import('../../web/lib/index.js').Attnscope} Attnscope */
/** @typedef {import('./tensor_file.js').TensorFile} TensorFile */

const STEPS = 20;
const TUTORIAL_STEPS = 200;

const classifier = {
  layer: 'attention_classifier',
  batch_size: 4,
  seq_len: 5,
  vocab_size: 11,
  hidden_size: 16,
  num_heads: 2,
  num_classes: 3,
  dropout: 0
};
const scorer = { layer: 'additive_scorer', batch_size: 3, seq_len: 7, hidden_size: 12, attn_dim: 5 };
const recurrent = { layer: 'recurrent_encoder', batch_size: 3, seq_len: 9, input_size: 5, hidden_size: 7 };
const decoder = {
  layer: 'decoder',
  batch_size: 2,
  seq_len: 6,
  vocab_size: 13,
  hidden_size: 16,
  num_heads: 2,
  num_layers: 2,
  intermediate_size: 24
};

/** Parameters by which the result does not change: their gradients are rounding errors, which Adam makes large. */
const FROZEN = /** @type {Record<string, RegExp>} */ ({
  attention_classifier: /k(ey)?_?proj.*bias/,
  additive_scorer: /score\.bias|v\.bias/,
  sequence_classifier: /score\.bias/
});

const OPTIMIZERS = [
  { name: 'sgd', lr: 0.1 },
  { name: 'sgd', lr: 0.1, momentum: 0.9 },
  { name: 'sgd', lr: 0.1, momentum: 0.9, dampening: 0.5, weight_decay: 0.01 },
  { name: 'sgd', lr: 0.1, momentum: 0.8, nesterov: true, weight_decay: 0.1 },
  { name: 'sgd', lr: 0.01, maximize: true },
  { name: 'rmsprop' },
  { name: 'rmsprop', lr: 1e-3, alpha: 0.9, momentum: 0.9, weight_decay: 0.01 },
  { name: 'rmsprop', lr: 1e-3, centered: true, eps: 1e-4 },
  { name: 'adam' },
  { name: 'adam', lr: 0.01, beta1: 0.8, beta2: 0.95, eps: 1e-6, weight_decay: 0.1 },
  { name: 'adam', amsgrad: true, maximize: true },
  { name: 'adamw' },
  { name: 'adamw', lr: 0.01, weight_decay: 0.3, amsgrad: true }
];

const LOSSES = [
  [classifier, { name: 'cross_entropy' }],
  [classifier, { name: 'cross_entropy', reduction: 'sum', label_smoothing: 0.2 }],
  [classifier, { name: 'cross_entropy', weight: [0.5, 2, 1], ignore_index: 1 }],
  [classifier, { name: 'cross_entropy', weight: [0.5, 2, 1], label_smoothing: 0.1, ignore_index: -1 }],
  [classifier, { name: 'cross_entropy', target: 'probabilities', label_smoothing: 0.1, weight: [1, 3, 0.25] }],
  [classifier, { name: 'cross_entropy', target: 'probabilities', reduction: 'sum' }],
  [decoder, { name: 'cross_entropy', target: 'next_token' }],
  [decoder, { name: 'cross_entropy' }],
  [scorer, { name: 'mse_loss' }],
  [scorer, { name: 'mse_loss', reduction: 'sum' }],
  [scorer, { name: 'binary_cross_entropy_with_logits' }],
  [scorer, { name: 'binary_cross_entropy_with_logits', reduction: 'sum' }]
];

const OTHERS = [
  { clip_norm: 0.5 },
  { clip_norm: 1e6, accumulation_steps: 3 },
  { accumulation_steps: 4, clip_norm: 0.1 },
  { schedule: { name: 'linear', warmup_steps: 4, total_steps: 15 } },
  { schedule: { name: 'cosine', total_steps: 20 } },
  { schedule: { name: 'cosine', warmup_steps: 5, total_steps: 12 } },
  { schedule: { name: 'constant', warmup_steps: 7 } }
];

const RECURRENT = [
  [{ cell: 'lstm' }, { name: 'adamw' }],
  [{ cell: 'gru' }, { name: 'adam' }],
  [{ cell: 'rnn_tanh' }, { name: 'rmsprop' }],
  [
    { cell: 'rnn_relu', num_layers: 3, dropout: 0.4, bidirectional: true },
    { name: 'sgd', lr: 0.1 }
  ],
  [
    { cell: 'lstm', num_layers: 2, dropout: 0.3 },
    { name: 'sgd', lr: 0.1 }
  ],
  [
    { cell: 'gru', num_layers: 2, dropout: 0.2, bidirectional: true },
    { name: 'sgd', lr: 0.1 }
  ],
  [{ cell: 'lstm', proj_size: 3, bidirectional: true, initial_state: true }, { name: 'adam' }]
];

/** The same with a mask, and no dropout: of its noise PyTorch draws none for hidden positions. */
const MASKED = [
  [{ cell: 'lstm', num_layers: 2, bidirectional: true }, { name: 'adam' }],
  [
    { cell: 'lstm', proj_size: 4, initial_state: true },
    { name: 'sgd', lr: 0.1 }
  ],
  [{ cell: 'gru', bidirectional: true, initial_state: true }, { name: 'adam' }],
  [
    { cell: 'rnn_tanh', num_layers: 2 },
    { name: 'sgd', lr: 0.1 }
  ]
];

/** A recurrent encoder under a scorer. */
const ENCODED = [
  { encoder: 'lstm', bidirectional: true, pooling: 'additive', position: 'learned' },
  { encoder: 'gru', num_layers: 2, pooling: 'timestep', dropout: 0.3 }
];
const encoded = {
  layer: 'sequence_classifier',
  batch_size: 3,
  seq_len: 9,
  input_size: 5,
  hidden_size: 6,
  num_classes: 3
};

/** Every training run: a config, the trainer's options, how many calls of step(). */
function runs() {
  const small = { beta1: 0.9 };
  return [
    ...OPTIMIZERS.map((optimizer) => ({ config: classifier, options: { optimizer }, steps: STEPS })),
    ...LOSSES.map(([config, loss]) => ({
      config,
      options: { loss, optimizer: { name: 'adam', ...small } },
      steps: STEPS
    })),
    ...OTHERS.map((others) => ({ config: classifier, options: { optimizer: 'adam', ...others }, steps: STEPS })),
    { config: { ...classifier, padding_idx: 0 }, options: { optimizer: 'adamw' }, steps: STEPS, masked: true },
    {
      config: { ...decoder, padding_idx: 2, tie_embeddings: true },
      options: { loss: { name: 'cross_entropy', target: 'next_token' }, optimizer: { name: 'sgd', lr: 0.1 } },
      steps: STEPS
    },
    { config: { ...classifier, dropout: 0.3 }, options: { optimizer: { name: 'sgd', lr: 0.1 } }, steps: STEPS },
    {
      config: decoder,
      options: { loss: { name: 'cross_entropy', target: 'next_token' }, optimizer: 'adamw', checkpointing: true },
      steps: STEPS
    },
    {
      config: tutorial,
      options: { loss: 'cross_entropy', optimizer: { name: 'adam', lr: 1e-3 } },
      steps: TUTORIAL_STEPS
    },
    // One batch of three has no label that counts: now the second, now the first call of an update.
    { config: classifier, options: { optimizer: 'adam', accumulation_steps: 2 }, steps: STEPS, unlabelled: 1 },
    // A parameter has a gradient of each position.
    ...[...RECURRENT, ...MASKED].map(([kind, optimizer], i) => ({
      config: { ...recurrent, ...kind },
      options: { loss: { name: 'mse_loss' }, optimizer },
      steps: STEPS,
      masked: i >= RECURRENT.length
    })),
    ...ENCODED.map((kind) => ({
      config: { ...encoded, ...kind },
      options: { optimizer: { name: 'sgd', lr: 0.1 } },
      steps: STEPS,
      masked: kind.dropout === undefined
    }))
  ];
}

const tutorial = {
  layer: 'attention_classifier',
  batch_size: 32,
  seq_len: 50,
  vocab_size: 5000,
  hidden_size: 128,
  num_heads: 4,
  num_classes: 2,
  dropout: 0.1
};

/** @typedef {{ config: any, options: any, steps: number, masked?: boolean,
 *   unlabelled?: number }} Run `unlabelled`: the place of the batch whose labels are all ignored */

/**
 * The runs whose layer and kinds of options no run before them has.
 * @template {Run} T
 * @param {T[]} all
 */
function firstOfEach(all) {
  const nameOf = (/** @type {any} */ kind) => kind?.name ?? kind;
  const kinds = all.map(({ config, options, steps }) => {
    const { optimizer, loss, schedule, ...others } = options;
    const names = [optimizer, loss, schedule].map(nameOf);
    return JSON.stringify([config.layer, steps, ...names, loss?.target, Object.keys(others)]);
  });
  return all.filter((_, i) => kinds.indexOf(kinds[i]) === i);
}

/** @param {Attnscope} scope @param {TensorFile} file @param {boolean} gate only what `npm test` runs */
export function trainings(scope, file, gate) {
  const draw = new Draw(20261123);
  // Data are drawn for all runs, so that those of a run do not depend on which others there are.
  const all = runs().map((run, place) => ({ ...run, seed: 7 + place, data: dataOf(scope, draw, run) }));
  return (gate ? firstOfEach(all) : all).map((run) => trained(scope, file, run));
}

/** @param {Attnscope} scope @param {Draw} draw @param {Run} run @returns {any[]} its batches */
function dataOf(scope, draw, { config, options, steps, masked, unlabelled }) {
  return Array.from({ length: steps === TUTORIAL_STEPS ? 1 : 3 }, (_, place) => {
    const inputs = batch(scope, draw, config, options.loss);
    if (place === unlabelled) inputs.labels.data.fill(-100);
    return { ...inputs, ...(masked && { mask: padded(draw, [config.batch_size, config.seq_len]) }) };
  });
}

/** @param {Attnscope} scope @param {TensorFile} file @param {Run & { seed: number, data: any[] }} run */
function trained(scope, file, { config, options, steps, masked = false, seed, data }) {
  const frozen = steps === TUTORIAL_STEPS ? [] : invariant(scope, config);
  const trainer = scope.trainer(config, { ...options, frozen, seed });
  const initial = file.addAll(trainer.model.stateDict());
  const results = Array.from({ length: steps }, (_, step) => trainer.step(data[step % data.length]));
  const state = trainer.stateDict();
  const { loss: evaluated } = trainer.evaluate(data[0]);
  const gradients = file.addAll(trainer.gradients());
  trainer.dispose();
  return {
    config,
    options,
    frozen,
    seed,
    pytorch: scope.pytorch(config, { self_check: false, mask: masked }),
    script: scope.pytorch(config, { training: { ...options, frozen, seed } }),
    initial,
    data: data.map((tensors) => file.addAll(tensors)),
    steps: results,
    evaluated,
    parameters: file.addAll(state.parameters),
    moments: file.addAll(state.optimizer),
    gradients
  };
}

/** @param {Attnscope} scope @param {any} config */
function invariant(scope, config) {
  const model = scope.create(config);
  const names = Object.keys(model.stateDict()).filter((name) => FROZEN[config.layer]?.test(name));
  model.dispose();
  return names;
}

/** Sequences of random lengths, padded at their ends. @param {Draw} draw @param {[number, number]} shape */
function padded(draw, [batch, length]) {
  const lengths = Array.from({ length: batch }, () => 1 + draw.below(length));
  return {
    data: Uint8Array.from({ length: batch * length }, (_, i) => Number(i % length < lengths[Math.floor(i / length)])),
    shape: [batch, length]
  };
}

/**
 * Inputs of a layer and what its result is held against.
 * @param {Attnscope} scope @param {Draw} draw @param {any} config @param {any} loss
 * @returns {Record<string, any>}
 */
function batch(scope, draw, config, loss = {}) {
  const estimate = scope.estimate(config);
  const inputs = Object.fromEntries(
    estimate.inputs
      .filter(({ optional }) => !optional)
      .map(({ name, shape, limit }) => [
        name,
        limit ? ids(draw, shape, limit) : scope.randn(shape, { seed: draw.below(2 ** 32) })
      ])
  );
  const shape = estimate.output_shape;
  const classes = shape[shape.length - 1];
  if (loss.target === 'next_token') return inputs;
  if (loss.target === 'probabilities' || (loss.name && loss.name !== 'cross_entropy')) {
    const target = scope.randn(shape, { seed: draw.below(2 ** 32) });
    const data = target.data.map((number) => 1 / (1 + Math.exp(-number)));
    const sum = (/** @type {number} */ row) =>
      data.subarray(row * classes, (row + 1) * classes).reduce((a, b) => a + b);
    const shares = data.map((number, i) => number / sum(Math.floor(i / classes)));
    return { ...inputs, target: { data: loss.target ? shares : data, shape } };
  }
  return { ...inputs, labels: ids(draw, shape.slice(0, -1), classes) };
}
