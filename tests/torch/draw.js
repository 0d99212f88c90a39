// Seeded draws of what the cases need: numbers, configs of any layer, masks. Knows no layer by name but
// in `hints`.

import { randomNumbers } from '../random.js';
import { samplesOf } from '../samples.js';

/** @typedef {import('../../web/lib/types.js').Field} Field */
/** @typedef {import('../../web/lib/types.js').Layer} Layer */
/** @typedef {Record<string, number | boolean | string | null>} Config */

const WIDTHS = [1, 2, 3, 6, 8, 12, 15, 16, 24, 33, 48, 64, 65, 96, 121];
// Layers with norms are judged where they are well conditioned: a norm over very few features, or with next to no
// eps, enlarges the rounding of what comes before it, in PyTorch as here.
const BROAD = [12, 16, 24, 32, 48, 64, 65, 96, 121];
const EPS = [1e-6, 1e-5, 0.01];
const INNER = [16, 32, 33, 64, 121, 129];
const HEADS = [1, 2, 3, 4, 5, 8, 11, 12];
const EVEN = [2, 4, 6, 8, 14, 16, 32];
const DEPTHS = [1, 2, 3, 5];
const POSITIONS = [1, 17, 64, 512];
const FIRST = [0, 1, 3]; // tokens that a small vocabulary has

/**
 * What generic draws would miss for a layer, by field: the values to draw from instead. A config that
 * the layer refuses (heads that do not divide a width, say) is drawn again, so most layers need no row.
 * @type {Record<string, Record<string, (number | boolean | string | null)[]>>}
 */
const hints = {
  // Of all sizes, those that divide a width would mostly be 1.
  multihead_attention: { hidden_size: WIDTHS, num_heads: HEADS },
  sequence_classifier: {
    input_size: BROAD,
    hidden_size: BROAD,
    intermediate_size: INNER,
    norm_eps: EPS,
    num_heads: HEADS,
    num_layers: DEPTHS,
    padding_idx: FIRST,
    bidirectional: [false, false, true] // only a recurrent encoder has two directions
  },
  self_attention: { hidden_size: BROAD },
  attention_classifier: { hidden_size: BROAD, num_heads: HEADS, padding_idx: FIRST },
  transformer_encoder_layer: { hidden_size: BROAD, norm_eps: EPS, num_heads: HEADS },
  transformer_decoder_layer: { hidden_size: BROAD, norm_eps: EPS, num_heads: HEADS },
  // Of sizes only an LSTM can be projected to, few: half of the other cells' configs would be refused.
  recurrent_encoder: { num_layers: DEPTHS, proj_size: [null, null, null, null, 1, 3, 8] },
  scaled_dot_product_attention: { num_heads: HEADS, num_kv_heads: HEADS },
  grouped_query_attention: { hidden_size: WIDTHS, num_heads: HEADS, num_kv_heads: HEADS, head_dim: EVEN },
  latent_attention: { qk_rope_head_dim: EVEN, num_heads: HEADS },
  encoder: {
    hidden_size: BROAD,
    intermediate_size: INNER,
    norm_eps: EPS,
    num_heads: HEADS,
    num_layers: DEPTHS,
    type_vocab_size: [0, 1, 2, 3],
    padding_idx: FIRST,
    max_positions: POSITIONS,
    position_offset: [0, 1, 2, 7]
  },
  decoder: {
    hidden_size: BROAD,
    intermediate_size: INNER,
    norm_eps: EPS,
    num_heads: HEADS,
    num_kv_heads: HEADS,
    head_dim: [8, 14, 16, 32],
    num_layers: DEPTHS,
    full_every: [1, 2, 3],
    rotary_dim: [2, 4, 6, 8],
    nope_every: [1, 2, 3],
    padding_idx: FIRST,
    max_positions: POSITIONS
  }
};

// Around the four lanes of a vector, tiles of 5 or 6 rows by 8 columns, and PyTorch's blocks of 16.
const SMALL = [0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33];
// Around two blocks of rows and the kernels' blocks of 384 along the reduced dimension.
const LARGE = [63, 65, 100, 121, 127, 129, 257, 385, 769];
const LARGE_SHARE = 0.15;

const MAX_MACS = 3e6; // more would be slow in the reference executor
// More would be slow to write; there are results for each mask.
const MAX_BYTES = { inputs: 4e5, output: 2e5, inference_total: 3e6 };
const MAX_TRIES = 2000;

/** Uniform numbers in [0, 1), and what is drawn with them. */
export class Draw {
  /** @param {number} seed */
  constructor(seed) {
    this.uniform = randomNumbers(seed);
  }

  /** @param {number} count */
  below(count) {
    return Math.floor(this.uniform() * count);
  }

  /**
   * @template T
   * @param {readonly T[]} values
   */
  one(values) {
    return values[this.below(values.length)];
  }
}

/** @param {Field} field @returns {(number | boolean | string | null)[] | null} null for integers */
function everyValue(field) {
  if (field.type === 'boolean') return [false, true];
  if (field.type === 'choice') return /** @type {string[]} */ (field.choices);
  if (field.type === 'integer') return null;
  return field.optional ? [null, ...samplesOf(field)] : samplesOf(field);
}

const NULL_SHARE = 0.5;

/** @param {Draw} draw @param {Field} field @param {(number | boolean | string | null)[]} [hint] */
function value(draw, field, hint) {
  if (field.optional && draw.uniform() < NULL_SHARE) return null;
  const values = hint ?? everyValue(field);
  if (values) return draw.one(values);
  const { min = 1, max = Infinity } = field;
  const sizes = draw.uniform() < LARGE_SHARE ? LARGE : SMALL;
  const fitting = sizes.filter((size) => size >= min && size <= max);
  return fitting.length > 0 ? draw.one(fitting) : field.default;
}

/** @param {import('../../web/lib/types.js').Estimate} estimate */
function small({ macs, memory }) {
  const { inputs, output, inference_total } = MAX_BYTES;
  return (
    macs <= MAX_MACS && memory.inputs <= inputs && memory.output <= output && memory.inference_total <= inference_total
  );
}

/**
 * A layer of a decoder without norms squares its numbers by a gate and cubes them by relu2: three such layers leave
 * float32's range, in PyTorch as here.
 * @param {Config} config
 */
const overflows = ({ pre_norms, post_norms, num_layers }) =>
  pre_norms === false && post_norms === false && Number(num_layers) > 2;

/**
 * @param {Draw} draw
 * @param {Layer} layer
 * @param {Config} fixed fields that are not drawn
 * @param {(config: any) => import('../../web/lib/types.js').Estimate} estimate
 */
function config(draw, layer, fixed, estimate) {
  let refusal = '';
  for (let tries = 0; tries < MAX_TRIES; ++tries) {
    const drawn = layer.fields.map((field) => [field.name, value(draw, field, hints[layer.name]?.[field.name])]);
    const candidate = { layer: layer.name, ...Object.fromEntries(drawn), ...fixed };
    try {
      if (small(estimate(candidate)) && !overflows(candidate)) return candidate;
      refusal = 'too large, or of numbers that overflow';
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      refusal = error.message;
    }
  }
  throw new Error(`no config of ${layer.name} with ${JSON.stringify(fixed)} in ${MAX_TRIES} draws: ${refusal}`);
}

/**
 * `count` configs of a layer, or more, so that every value of each boolean and choice is among them.
 * @param {Draw} draw
 * @param {Layer} layer
 * @param {number} count
 * @param {boolean} atMost draws some of these values where they are more than `count`
 * @param {(config: any) => import('../../web/lib/types.js').Estimate} estimate
 */
export function configs(draw, layer, count, atMost, estimate) {
  const fixed = layer.fields.flatMap((field) => (everyValue(field) ?? []).map((one) => ({ [field.name]: one })));
  while (atMost && fixed.length > count) fixed.splice(draw.below(fixed.length), 1);
  const rest = Array.from({ length: Math.max(0, count - fixed.length) }, () => ({}));
  return [...fixed, ...rest].map((some) => config(draw, layer, some, estimate));
}

const HIDDEN_SHARE = 0.3;
const LOWEST = -3.4028234663852886e38; // torch.finfo(torch.float32).min

/**
 * A shape that broadcasts to another: leading dimensions are whole, 1 or absent; the last one is whole.
 * @param {Draw} draw @param {number[]} shape
 */
export function broadcast(draw, shape) {
  const kept = shape.slice(draw.below(Math.max(1, shape.length - 1)));
  return kept.map((size, i) => (i < kept.length - 1 && draw.uniform() < 0.3 ? 1 : size));
}

/**
 * Masks of one shape, by what they try. `data` is a Uint8Array (1 = may attend) or a Float32Array (added, or of a mask
 * that only hides 0 and the numbers that hide).
 * @param {Draw} draw
 * @param {number[]} shape
 * @param {boolean} onlyHides
 * @returns {Record<string, {data: Uint8Array | Float32Array, shape: number[]}>}
 */
export function masks(draw, shape, onlyHides) {
  const length = shape.reduce((product, size) => product * size, 1);
  const columns = shape[shape.length - 1];
  const rows = length / columns;
  const hidden = () => draw.uniform() < HIDDEN_SHARE;
  const evenRow = (/** @type {number} */ i) => Math.floor(i / columns) % 2 === 0;
  const boolean = (/** @type {(i: number) => boolean} */ visible) => ({
    data: Uint8Array.from({ length }, (_, i) => Number(visible(i))),
    shape
  });
  const float = (/** @type {(i: number) => number} */ added) => ({
    data: Float32Array.from({ length }, (_, i) => added(i)),
    shape
  });
  return {
    'boolean mask': boolean(() => !hidden()),
    'boolean mask, rows hidden': boolean((i) => !evenRow(i) && !hidden()),
    'float mask': float(() => (hidden() ? -Infinity : onlyHides ? 0 : 4 * draw.uniform() - 2)),
    'float mask, rows hidden': float((i) => (evenRow(i) || hidden() ? -Infinity : onlyHides ? 0 : draw.uniform())),
    // The finite numbers that stand in for -inf in other code. One column of each row keeps 0, so that the
    // scores which count are not swallowed; the last row is all LOWEST: added, that makes its weights equal.
    'float mask, lowest numbers': float((i) => {
      if (i >= (rows - 1) * columns) return LOWEST;
      return i % columns === 0 ? 0 : draw.one([0, -1e4, -1e9, LOWEST]);
    })
  };
}

/**
 * Integers from -3 to 3, times `scale`: sums of their products are exact in float32, in any order.
 * @param {Draw} draw
 * @param {number[]} shape
 * @param {number} scale
 */
export function integers(draw, shape, scale) {
  const length = shape.reduce((product, size) => product * size, 1);
  return { data: Float32Array.from({ length }, () => scale * (draw.below(7) - 3)), shape };
}

/**
 * Token ids.
 * @param {Draw} draw @param {number[]} shape @param {number} limit
 */
export function ids(draw, shape, limit) {
  const length = shape.reduce((product, size) => product * size, 1);
  return { data: Int32Array.from({ length }, () => draw.below(limit)), shape };
}
