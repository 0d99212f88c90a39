// The six chapters of the tutorial: each layer in its sizes, what its code prints, and every tensor on the way.

import { formatCount, formatSigned } from '../format.js';
import { arrayText, sizeText, tensorText } from './printed.js';
import { dotProducts, largest, rowsOf, sum } from './rows.js';
import { explainer, runLayer } from './run.js';
import { seedSetting } from './settings.js';
import { trained } from './training.js';

/** @typedef {import('../../lib/index.js').Attnscope} Attnscope @typedef {import('./settings.js').Values} Values */
/** @typedef {import('./rows.js').Tensor} Tensor */
/**
 * @typedef {{ tensor: Tensor, axes: string[], weights?: boolean, explain?: ReturnType<typeof explainer> }} Shown
 *   `axes`: what its dimensions go over; `explain` answers for its cells
 * @typedef {{ config: Record<string, any>, tensors: Record<string, Shown>, printed: string[], lines: string[],
 *   losses?: number[] }} Made `printed`: what `lines`, after the class, print
 * @typedef {object} Chapter
 * @property {string} title
 * @property {string} differs what the tutorial's own run prints otherwise, and what it prints the same
 * @property {readonly string[]} shows names of tensors, the first shown first
 * @property {import('./settings.js').Setting[]} [own] further settings
 * @property {(scope: Attnscope, values: Values) => Made} make
 * @property {(made: Made, values: Values) => string} notice
 */

/** Sums of the rows, in float32. @param {Tensor} weights @returns {Tensor} */
const sums = (weights) => ({
  data: Float32Array.from(rowsOf(weights), (row) => row.reduce((total, weight) => Math.fround(total + weight), 0)),
  shape: weights.shape.slice(0, -1)
});

/** Without the head of a layer that has one. @param {Tensor} tensor */
const headless = ({ data, shape: [batch, , ...others] }) => ({ data, shape: [batch, ...others] });

/**
 * Q, K, V and scores of each sequence and head of self-attention, by the projections of a state.
 * @param {Attnscope} scope
 * @param {Tensor} input
 * @param {Record<string, Tensor>} state
 * @param {string} prefix of the projections' names
 * @param {number} heads
 * @returns {Record<string, Shown>}
 */
function between(scope, input, state, prefix, heads) {
  const [batch_size, seq_len, hidden_size] = input.shape;
  const config = { layer: 'dense', batch_size, seq_len, hidden_size, out_features: hidden_size, activation: 'none' };
  const [query, key, value] = ['query', 'key', 'value'].map((name) => {
    const weights = () => ({
      'dense.weight': state[`${prefix}${name}_proj.weight`],
      'dense.bias': state[`${prefix}${name}_proj.bias`]
    });
    return runLayer(scope, config, { hidden_states: input }, { weights }).output;
  });
  const axes = ['batch', 'position', 'feature'];
  return {
    query: { tensor: query, axes },
    key: { tensor: key, axes },
    value: { tensor: value, axes },
    scores: scoresOf(query, key, heads)
  };
}

/**
 * Scaled, of each sequence and head.
 * @param {Tensor} query @param {Tensor} key @param {number} heads @returns {Shown}
 */
function scoresOf({ data: query, shape: [batch, length, hidden] }, { data: key }, heads) {
  const features = hidden / heads;
  const plane = length * length;
  const data = new Float32Array(batch * heads * plane);
  /** Of one sequence and head. @param {Float32Array} whole @param {number} at */
  const part = (whole, at) => {
    const [sequence, head] = [Math.floor(at / heads), at % heads];
    return Float32Array.from({ length: length * features }, (_, index) => {
      const row = sequence * length + Math.floor(index / features);
      return whole[row * hidden + head * features + (index % features)];
    });
  };
  for (let at = 0; at < batch * heads; at += 1)
    data.set(
      dotProducts(part(query, at), part(key, at), features).map((score) => score / Math.sqrt(features)),
      at * plane
    );
  const one = { tensor: { data, shape: [batch, length, length] }, axes: ['batch', 'query', 'key'] };
  return heads === 1
    ? one
    : { tensor: { data, shape: [batch, heads, length, length] }, axes: ['batch', 'head', 'query', 'key'] };
}

/**
 * Lines that make a module and its input.
 * @param {string} name @param {string} input @param {number} seed @param {string} [given] to its constructor
 */
const drawnLines = (name, input, seed, given = '') => [
  `torch.manual_seed(${seed})`,
  `module = ${name}(${given}).eval()`,
  `torch.manual_seed(${seed + 1})`,
  input
];

/**
 * A layer with one input, run: what it returns and what lies between.
 * @param {Attnscope} scope @param {Record<string, any>} config @param {string} prefix @param {number} seed
 */
function selfAttended(scope, config, prefix, seed) {
  const { batch_size, seq_len, hidden_size, num_heads = 1 } = config;
  const input = scope.randn([batch_size, seq_len, hidden_size], { seed: seed + 1 });
  const named =
    config.layer === 'attention_layer' ? { query: input, key: input, value: input } : { hidden_states: input };
  /** @type {Record<string, Tensor>} */
  let state = {};
  const weights = (/** @type {Record<string, Tensor>} */ own) => (state = own);
  const { output, weights: made } = runLayer(scope, config, named, { seed, weights });
  const isHeaded = made.shape.length > 3;
  const shown = num_heads === 1 && isHeaded ? headless(made) : made;
  const axes = shown.shape.length > 3 ? ['batch', 'head', 'query', 'key'] : ['batch', 'query', 'key'];
  const explain = explainer(scope, config, named, { seed });
  const { scores, ...projected } = between(scope, input, state, prefix, num_heads);
  return {
    input: { tensor: input, axes: ['batch', 'position', 'feature'] },
    ...projected,
    scores: { ...scores, explain },
    weights: { tensor: shown, axes, weights: true, explain },
    output: { tensor: output, axes: ['batch', 'position', 'feature'] }
  };
}

const ALL = ['weights', 'scores', 'query', 'key', 'value', 'output'];

/** @type {Chapter} */
const dotProduct = {
  title: 'Scaled dot-product attention',
  differs:
    'The tutorial sets no seed, so its tensors are others at every run. Both shapes and all sums are the same, whatever was drawn.',
  shows: ALL,
  make(scope, { seed }) {
    const [batch_size, seq_len, head_dim] = [2, 4, 8];
    const config = { layer: 'scaled_dot_product_attention', batch_size, num_heads: 1, seq_len, head_dim };
    const drawn = scope.randn([3, batch_size, seq_len, head_dim], { seed }).data;
    const size = batch_size * seq_len * head_dim;
    const [query, key, value] = [0, 1, 2].map((at) => ({
      data: drawn.slice(at * size, (at + 1) * size),
      shape: [batch_size, 1, seq_len, head_dim]
    }));
    const results = runLayer(scope, config, { query, key, value });
    const explain = explainer(scope, config, { query, key, value });
    const [weights, output] = [headless(results.weights), headless(results.output)];
    const axes = ['batch', 'position', 'feature'];
    return {
      config,
      tensors: {
        weights: { tensor: weights, axes: ['batch', 'query', 'key'], weights: true, explain },
        scores: { ...scoresOf(headless(query), headless(key), 1), explain },
        query: { tensor: headless(query), axes },
        key: { tensor: headless(key), axes },
        value: { tensor: headless(value), axes },
        output: { tensor: output, axes }
      },
      printed: [
        `Output shape: ${sizeText(output.shape)}`,
        `Attention weights shape: ${sizeText(weights.shape)}`,
        `Weights sum to 1: ${tensorText(sums(weights))}`
      ],
      lines: [
        `torch.manual_seed(${seed})`,
        'query, key, value = torch.randn(3, 2, 1, 4, 8)',
        'module = ScaledDotProductAttention()',
        'output, weights = module(query, key, value)',
        'output = output.squeeze(1)  # the one head',
        'weights = weights.squeeze(1)',
        'print(f"Output shape: {output.shape}")',
        'print(f"Attention weights shape: {weights.shape}")',
        'print(f"Weights sum to 1: {weights.sum(dim=-1)}")'
      ]
    };
  },
  notice({ tensors: { weights, scores } }) {
    const [row] = rowsOf(weights.tensor);
    const key = row.indexOf(largest(row));
    return `Of the first query’s scores the one for key ${key} is the largest, ${formatSigned(scores.tensor.data[key])}; softmax gives it ${formatSigned(row[key])} of the weight, and the row sums to ${formatSigned(sum(row))}.`;
  }
};

/** @type {Chapter} */
const attentionLayer = {
  title: 'An attention layer',
  differs:
    'The tutorial sets no seed, so it prints another matrix at every run: 5 × 5 again, each row with the sum 1 but for the rounding to two decimals.',
  shows: ALL,
  make(scope, { seed }) {
    const config = { layer: 'attention_layer', batch_size: 1, seq_len: 5, hidden_size: 64 };
    const tensors = selfAttended(scope, config, '', seed);
    const { data, shape } = tensors.weights.tensor;
    return {
      config,
      tensors,
      printed: ['Attention weight matrix:', arrayText({ data, shape: shape.slice(1) }, 2)],
      lines: [
        ...drawnLines('AttentionLayer', 'x = torch.randn(1, 5, 64)', seed),
        'output, weights = module(x, x, x)',
        'print("Attention weight matrix:")',
        'print(weights[0].detach().numpy().round(2))'
      ]
    };
  },
  notice({ tensors: { weights } }) {
    const { data, shape } = weights.tensor;
    const keys = Number(shape.at(-1));
    return `Untrained projections look nowhere in particular: the weights lie between ${formatSigned(Math.min(...data))} and ${formatSigned(Math.max(...data))}, around 1/${keys} = ${formatSigned(1 / keys)}.`;
  }
};

/** @type {Chapter} */
const selfAttention = {
  title: 'Self-attention',
  differs:
    'The tutorial looks random tokens up in an embedding that is drawn from the same normal distribution as this input, and its dropout is on, which is off here. The shape is the same.',
  shows: ['output', 'input', 'weights', 'scores', 'query', 'key', 'value'],
  make(scope, { seed }) {
    const config = { layer: 'self_attention', batch_size: 2, seq_len: 10, hidden_size: 128 };
    const tensors = selfAttended(scope, config, 'attention.', seed);
    return {
      config,
      tensors,
      printed: [`Self-attention output shape: ${sizeText(tensors.output.tensor.shape)}`],
      lines: [
        ...drawnLines('SelfAttention', 'x = torch.randn(2, 10, 128)', seed),
        'output, weights = module(x)',
        'print(f"Self-attention output shape: {output.shape}")'
      ]
    };
  },
  notice({ tensors: { input, output } }) {
    const vectors = rowsOf(output.tensor);
    const middle = sum(vectors[0]) / vectors[0].length;
    const squares = sum(vectors[0].map((value) => (value - middle) ** 2)) / vectors[0].length;
    return `The shape is that of the input, so that layers can be stacked; after the norm the first position has mean ${formatSigned(Math.round(middle * 1e3) / 1e3)} and variance ${formatSigned(squares)}, and the residual keeps it near the input: their correlation is ${formatSigned(correlation(vectors[0], rowsOf(input.tensor)[0]))}.`;
  }
};

/** @param {Float32Array} one @param {Float32Array} other */
function correlation(one, other) {
  const centred = [one, other].map((values) => {
    const middle = sum(values) / values.length;
    return values.map((value) => value - middle);
  });
  const product = (/** @type {Float32Array} */ a, /** @type {Float32Array} */ b) =>
    sum(a.map((value, at) => value * b[at]));
  return product(centred[0], centred[1]) / Math.sqrt(product(centred[0], centred[0]) * product(centred[1], centred[1]));
}

const multiHeadConfig = (/** @type {number} */ num_heads) => ({
  layer: 'multihead_attention',
  batch_size: 2,
  seq_len: 10,
  hidden_size: 128,
  num_heads,
  projections: 'separate'
});

const HEADS = 8; // of the tutorial's second version

/** @param {number} heads @param {string} what @param {number} seed */
const multiHeadLines = (heads, what, seed) => [
  ...drawnLines('MultiheadAttention', 'x = torch.randn(2, 10, 128)', seed, `num_heads=${heads}`),
  'output, weights = module(x)',
  `print(f"${what} head output: {output.shape}")`
];

/** @type {Chapter} */
const multiHead = {
  title: 'Multi-head attention',
  differs: 'The tutorial sets no seed and leaves dropout on, which is off here. Both shapes are the same.',
  shows: ALL,
  own: [
    {
      name: 'heads',
      label: 'Heads',
      kind: 'choice',
      choices: ['1', '8'].map((value) => ({ value, text: value })),
      initial: '8'
    }
  ],
  make(scope, { seed, heads }) {
    const [single, multi] = [1, HEADS].map((count) => selfAttended(scope, multiHeadConfig(count), '', seed));
    return {
      config: multiHeadConfig(Number(heads)),
      tensors: heads === '1' ? single : multi,
      printed: [
        `Single head output: ${sizeText(single.output.tensor.shape)}`,
        `Multi head output: ${sizeText(multi.output.tensor.shape)}`
      ],
      lines: [...multiHeadLines(1, 'Single', seed), '', ...multiHeadLines(HEADS, 'Multi', seed)]
    };
  },
  notice({ tensors: { weights, output }, config }) {
    const { shape } = weights.tensor;
    const count = config.num_heads;
    return `The output is ${output.tensor.shape.join(' × ')} with one head as with eight; ${count === 1 ? 'one head has' : `${count} heads, each of ${config.hidden_size / count} features, have`} ${formatCount(shape.reduce((a, b) => a * b, 1))} weights, ${shape.join(' × ')}.`;
  }
};

const CLASSIFIER = {
  layer: 'attention_classifier',
  batch_size: 32,
  seq_len: 50,
  vocab_size: 5000,
  hidden_size: 128,
  num_heads: 4,
  num_classes: 2
};

/** @type {Chapter} */
const classifier = {
  title: 'A classifier',
  differs: 'The tutorial makes this shape on the way to its loss and does not print it. Dropout is off here.',
  shows: ['output', 'weights'],
  make(scope, { seed }) {
    const tokens = scope.randint(CLASSIFIER.vocab_size, [CLASSIFIER.batch_size, CLASSIFIER.seq_len], {
      seed: seed + 1
    });
    const { output, weights } = runLayer(scope, CLASSIFIER, { tokens }, { seed });
    return {
      config: CLASSIFIER,
      tensors: {
        output: { tensor: output, axes: ['sequence', 'class'] },
        weights: {
          tensor: weights,
          axes: ['batch', 'head', 'query', 'key'],
          weights: true,
          explain: explainer(scope, CLASSIFIER, { tokens }, { seed })
        }
      },
      printed: [`Logits shape: ${sizeText(output.shape)}`],
      lines: [
        ...drawnLines('AttentionClassifier', 'tokens = torch.randint(0, 5000, (32, 50))', seed),
        'logits, weights = module(tokens)',
        'print(f"Logits shape: {logits.shape}")'
      ]
    };
  },
  notice({ tensors: { output } }) {
    const rows = rowsOf(output.tensor);
    const first = rows.filter(([zero, one]) => zero > one).length;
    return `Untrained it has an opinion already, and a worthless one: class 0 for ${first} of ${rows.length} random texts, with logits no further apart than ${formatSigned(Math.max(...rows.map(([zero, one]) => Math.abs(zero - one))))}.`;
  }
};

/** @type {Chapter} */
const trainingStep = {
  title: 'A training step',
  differs:
    'The tutorial sets no seed, so its loss is another at every run: near ln 2 too, since the labels are random.',
  shows: ['output', 'gradient'],
  own: [
    {
      name: 'steps',
      label: 'Steps',
      kind: 'integer',
      min: 1,
      max: 10,
      stops: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      initial: 1
    }
  ],
  make(scope, { seed, steps }) {
    const { losses, output, gradient } = trained(scope, CLASSIFIER, seed, steps);
    return {
      config: CLASSIFIER,
      tensors: {
        output: { tensor: output, axes: ['sequence', 'class'] },
        gradient: { tensor: gradient, axes: ['class', 'feature'] }
      },
      printed: losses.map((loss) => `Training loss: ${loss.toFixed(4)}`),
      losses,
      lines: [
        `torch.manual_seed(${seed})`,
        'module = AttentionClassifier().train()',
        'optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)',
        'state = torch.get_rng_state()  # dropout goes on from here',
        `torch.manual_seed(${seed + 1})`,
        'tokens = torch.randint(0, 5000, (32, 50))',
        `torch.manual_seed(${seed + 2})`,
        'labels = torch.randint(0, 2, (32,))',
        'torch.set_rng_state(state)',
        `for _ in range(${steps}):`,
        '    optimizer.zero_grad()',
        '    logits, _ = module(tokens)',
        '    loss = nn.functional.cross_entropy(logits, labels)',
        '    loss.backward()',
        '    optimizer.step()',
        '    print(f"Training loss: {loss.item():.4f}")'
      ]
    };
  },
  notice({ losses = [] }) {
    const [first] = losses;
    const last = Number(losses.at(-1));
    const chance = `${formatSigned(Math.LN2)}, the loss of a coin`;
    return losses.length === 1
      ? `Before the first update the loss is ${first.toFixed(4)}, near ln 2 = ${chance}.`
      : `After ${losses.length - 1} ${losses.length === 2 ? 'update' : 'updates'} the loss on the same 32 texts went from ${first.toFixed(4)}, near ln 2 = ${chance}, to ${last.toFixed(4)}: it learns them by heart.`;
  }
};

/** @type {readonly Chapter[]} */
export const chapters = [dotProduct, attentionLayer, selfAttention, multiHead, classifier, trainingStep];

/**
 * The settings of a chapter: which tensor is shown, its own, and the seed.
 * @param {Chapter} chapter
 * @returns {import('./settings.js').Setting[]}
 */
export const settingsOfChapter = ({ shows, own = [] }) => [
  {
    name: 'show',
    label: 'Show',
    kind: 'choice',
    choices: shows.map((value) => ({ value, text: value })),
    initial: shows[0]
  },
  ...own,
  seedSetting
];

/**
 * @param {Chapter} chapter @param {Attnscope} scope @param {Values} values
 */
export function computeChapter(chapter, scope, values) {
  const made = chapter.make(scope, values);
  const { steps, parameters } = /** @type {any} */ (scope.estimate(/** @type {any} */ (made.config)));
  return {
    ...made,
    shown: made.tensors[values.show],
    name: values.show,
    steps,
    parameters,
    python: codeOf(scope, made),
    differs: chapter.differs
  };
}

/** The class, and the lines that print. @param {Attnscope} scope @param {Made} made */
function codeOf(scope, { config, lines }) {
  const source = (/** @type {any} */ of) =>
    scope.pytorch(of, { self_check: false, imports: ['import torch'] }).trimEnd();
  const printed =
    config.layer === 'multihead_attention' ? withHeadsAsArgument(source(multiHeadConfig(HEADS))) : source(config);
  return `${printed}\n\n\n${lines.join('\n')}\n`;
}

/**
 * The class of HEADS heads as one of any number, which its constructor is given.
 * @param {string} source
 */
function withHeadsAsArgument(source) {
  const { hidden_size, seq_len, batch_size } = multiHeadConfig(HEADS);
  const features = hidden_size / HEADS;
  const changed = Object.entries({
    'def __init__(self):': 'def __init__(self, num_heads):',
    'super().__init__()\n': 'super().__init__()\n        self.num_heads = num_heads\n',
    [`(${HEADS}, -1)`]: '(self.num_heads, -1)',
    [`* ${features} ** -0.5`]: '* projected_query_heads.size(-1) ** -0.5',
    [`(${batch_size}, ${HEADS}, ${seq_len}, ${features})`]: `(${batch_size}, num_heads, ${seq_len}, ${hidden_size} / num_heads)`,
    [`(${batch_size}, ${HEADS}, ${seq_len}, ${seq_len})`]: `(${batch_size}, num_heads, ${seq_len}, ${seq_len})`
  }).reduce((text, [fixed, any]) => {
    if (!text.includes(fixed)) throw new Error(`the class does not have ${fixed}`);
    return text.replaceAll(fixed, any);
  }, source);
  return withCommentsAligned(changed);
}

/** The shapes beside the lines, one under another again. @param {string} source */
function withCommentsAligned(source) {
  const beside = /^( {8}\S.*?) +# (?=\()/gm;
  const width = Math.max(...Array.from(source.matchAll(beside), ([, code]) => code.length));
  return source.replaceAll(beside, (_, code) => `${code.padEnd(width)}  # `);
}
