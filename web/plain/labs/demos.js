// Five common mistakes, executed: each number comes out of the module, or is combined from its output the wrong way on
// purpose.

/**
 * @typedef {import('../../lib/index.js').Attnscope} Scope
 * @typedef {{ data: Float32Array, shape: number[] }} Tensor
 * @typedef {{ label: string, code: string, values: number[], verdict: string }} Side
 * @typedef {{ id: string, config: Record<string, unknown>, wrong: Side, right: Side }} Demo `config`: of the layer
 */

const BATCH = 2;
const LENGTH = 6;
const WIDTH = 8;
const PADDED = 3;

/** @param {Float32Array} data @param {number} row @param {number} width */
const rowOf = (data, row, width) => Array.from(data.subarray(row * width, (row + 1) * width));

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0);

/**
 * @param {Scope} scope
 * @param {any} config
 * @param {number} seed
 * @param {any} inputs
 * @returns {{ output: Tensor, weights?: Tensor }}
 */
function execute(scope, config, seed, inputs) {
  const model = scope.create({ layer: 'linear_scorer', ...config }, { seed });
  try {
    return model.forward(inputs, { need_weights: true });
  } finally {
    model.dispose();
  }
}

const size = { batch_size: BATCH, seq_len: LENGTH, hidden_size: WIDTH };
const scorer = { layer: 'linear_scorer', ...size };

/** @param {Scope} scope @param {number} seed @returns {Demo[]} */
export function demos(scope, seed) {
  const hidden_states = scope.randn([BATCH, LENGTH, WIDTH], { seed: seed + 1 });
  const scores = rowOf(execute(scope, { ...size, output: 'scores' }, seed, { hidden_states }).output.data, 0, LENGTH);
  const plain = execute(scope, size, seed, { hidden_states });
  const weights = rowOf(/** @type {Tensor} */ (plain.weights).data, 0, LENGTH);
  return [
    wrongDimension(scores, weights),
    noMask(scope, seed, hidden_states, weights),
    scoresForWeights(scores, weights, hidden_states),
    overbuilt(scope),
    unchecked(scope, seed)
  ];
}

/** @param {number[]} scores @param {number[]} weights @returns {Demo} */
function wrongDimension(scores, weights) {
  const single = scores.map(() => 1);
  return {
    id: 'dimension',
    config: scorer,
    wrong: {
      label: 'dim=-1 of (B, T, 1)',
      code: 'weights = scores.softmax(dim=-1)',
      values: single,
      verdict: `Each of ${single.length} weights is 1; the row sums to ${sum(single)}.`
    },
    right: {
      label: 'dim=1, the sequence',
      code: 'weights = scores.squeeze(-1).softmax(dim=1)',
      values: weights,
      verdict: `The row sums to ${sum(weights).toFixed(4)}.`
    }
  };
}

/**
 * @param {Scope} scope
 * @param {number} seed
 * @param {Tensor} hidden_states
 * @param {number[]} unmasked
 * @returns {Demo}
 */
function noMask(scope, seed, hidden_states, unmasked) {
  const mask = {
    data: Uint8Array.from({ length: BATCH * LENGTH }, (_, at) => (at % LENGTH < LENGTH - PADDED ? 1 : 0)),
    shape: [BATCH, LENGTH]
  };
  const masked = rowOf(
    /** @type {Tensor} */ (execute(scope, size, seed, { hidden_states, mask }).weights).data,
    0,
    LENGTH
  );
  const lost = sum(unmasked.slice(LENGTH - PADDED));
  return {
    id: 'mask',
    config: scorer,
    wrong: {
      label: 'no mask, the last three are padding',
      code: 'weights = row.softmax(dim=1)',
      values: unmasked,
      verdict: `${(lost * 100).toFixed(1)} % of the weight lies on padding.`
    },
    right: {
      label: 'padding masked',
      code: 'row = row.masked_fill(~mask, -torch.inf)\nweights = row.softmax(dim=1)',
      values: masked,
      verdict: 'Padding has weight 0 exactly; the rest sums to 1.'
    }
  };
}

/** @param {number[]} scores @param {number[]} weights @param {Tensor} hidden_states @returns {Demo} */
function scoresForWeights(scores, weights, hidden_states) {
  const pooled = (/** @type {number[]} */ by) =>
    sum(by.map((value, position) => value * hidden_states.data[position * WIDTH]));
  return {
    id: 'scores',
    config: scorer,
    wrong: {
      label: 'scores',
      code: "pooled = torch.einsum('bt,bte->be', row, hidden_states)",
      values: scores,
      verdict: `They sum to ${sum(scores).toFixed(3)}, some may be negative; first pooled value ${pooled(scores).toFixed(3)}.`
    },
    right: {
      label: 'weights',
      code: "pooled = torch.einsum('bt,bte->be', weights, hidden_states)",
      values: weights,
      verdict: `They sum to 1; first pooled value ${pooled(weights).toFixed(3)}, an average of the six.`
    }
  };
}

/** @param {Scope} scope @returns {Demo} */
function overbuilt(scope) {
  const linear = scope.estimate({ layer: 'linear_scorer' });
  const additive = scope.estimate({ layer: 'additive_scorer', attn_dim: 1024 });
  const times = (/** @type {number} */ factor) => `${factor.toFixed(0)} times`;
  const count = (/** @type {number} */ value) => value.toLocaleString('en-US');
  return {
    id: 'overbuilt',
    config: { layer: 'additive_scorer', attn_dim: 1024 },
    wrong: {
      label: 'additive, attn_dim 1024',
      code: 'scorer = nn.Sequential(nn.Linear(768, 1024), nn.Tanh(), nn.Linear(1024, 1))',
      values: [additive.macs, linear.macs],
      verdict: `${count(additive.parameters)} parameters, ${times(additive.parameters / linear.parameters)} those of the linear scorer, and ${times(additive.macs / linear.macs)} its MACs.`
    },
    right: {
      label: 'linear',
      code: 'scorer = nn.Linear(768, 1)',
      values: [linear.macs],
      verdict: `${count(linear.parameters)} parameters. Start here, and add width only when a validation score asks for it.`
    }
  };
}

const SQUARE = 4;
const square = { batch_size: SQUARE, seq_len: SQUARE, hidden_size: SQUARE };

/**
 * With batch, length and width equal, a forgotten unsqueeze broadcasts without a word.
 * @param {Scope} scope
 * @param {number} seed
 * @returns {Demo}
 */
function unchecked(scope, seed) {
  const hidden_states = scope.randn([SQUARE, SQUARE, SQUARE], { seed: seed + 1 });
  const { output, weights } = execute(scope, square, seed, { hidden_states });
  const w = /** @type {Tensor} */ (weights).data;
  const wrong = Array.from({ length: SQUARE }, (_, e) => {
    let total = 0;
    for (let t = 0; t < SQUARE; t += 1) total += w[t * SQUARE + e] * hidden_states.data[t * SQUARE + e];
    return total;
  });
  const right = rowOf(output.data, 0, SQUARE);
  const error = Math.max(...wrong.map((value, at) => Math.abs(value - right[at])));
  return {
    id: 'shapes',
    config: { layer: 'linear_scorer', ...square },
    wrong: {
      label: 'weights (4, 4) times hidden states (4, 4, 4)',
      code: 'pooled = (weights * hidden_states).sum(dim=1)',
      values: wrong,
      verdict: `No error, the right shape, and values that are off by up to ${error.toFixed(3)}.`
    },
    right: {
      label: 'weights (4, 4, 1)',
      code: 'pooled = (weights.unsqueeze(-1) * hidden_states).sum(dim=1)',
      values: right,
      verdict: refusal(scope)
    }
  };
}

/** What the module says about a tensor whose lengths are swapped. @param {Scope} scope */
function refusal(scope) {
  try {
    execute(scope, { ...square, seq_len: 3 }, 0, {
      hidden_states: { data: new Float32Array(SQUARE ** 3), shape: [SQUARE, SQUARE, SQUARE] }
    });
  } catch (error) {
    return `And a shape that does not fit is refused: “${/** @type {Error} */ (error).message}”`;
  }
  return '';
}
