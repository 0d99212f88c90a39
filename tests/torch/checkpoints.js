// Checkpoints that make_checkpoints.py wrote: how one is read, and what stands under other names than attnscope's.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{data: Float32Array, shape: number[]}} Tensor */
/** @typedef {Record<string, Tensor>} State */

const FORMATS = /** @type {const} */ ({ F32: Float32Array, I32: Int32Array });

/**
 * The tensors of a safetensors file: the length of a header as 64 bits, the header as JSON, and the numbers.
 * @param {string} path
 * @returns {Record<string, any>}
 */
function readTensors(path) {
  const file = readFileSync(path);
  const start = 8 + Number(file.readBigUInt64LE(0));
  const { __metadata__, ...header } = JSON.parse(file.toString('utf8', 8, start));
  return Object.fromEntries(
    Object.entries(header).map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [begin, end]
        }
      ]) => {
        const Data = FORMATS[/** @type {keyof typeof FORMATS} */ (dtype)];
        if (!Data) throw new Error(`${path}: ${name} is of ${dtype}`);
        return [
          name,
          { data: new Data(file.buffer.slice(file.byteOffset + start + begin, file.byteOffset + start + end)), shape }
        ];
      }
    )
  );
}

/** @param {string} folder */
export const readCheckpoint = (folder) => ({
  hf: JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')),
  state: /** @type {State} */ (readTensors(join(folder, 'model.safetensors'))),
  inputs: readTensors(join(folder, 'inputs.safetensors'))
});

/** @param {Tensor} matrix */
function transposed({ data, shape: [rows, columns] }) {
  const turned = Float32Array.from(data, (_, at) => data[(at % rows) * columns + Math.floor(at / rows)]);
  return { data: turned, shape: [columns, rows] };
}

/** The first dimension in three. @param {Tensor} tensor @returns {Tensor[]} */
function thirds({ data, shape: [rows, ...rest] }) {
  const size = data.length / 3;
  return [0, 1, 2].map((part) => ({ data: data.slice(part * size, (part + 1) * size), shape: [rows / 3, ...rest] }));
}

/** Names by what stands in them, one after another. @param {Record<string, string>} names @param {State} state */
function renamed(names, state) {
  const rename = (/** @type {string} */ name) =>
    Object.entries(names).reduce((text, [from, to]) => text.replace(from, to), name);
  return Object.fromEntries(Object.entries(state).map(([name, tensor]) => [rename(name), tensor]));
}

/** @param {State} state @param {(name: string) => boolean} keep */
const only = (state, keep) => Object.fromEntries(Object.entries(state).filter(([name]) => keep(name)));

/** GPT-2 stores matrices the other way round, and queries, keys and values as one. @param {State} state */
function fromGpt2(state) {
  const turned = Object.entries(state).flatMap(([name, tensor]) => {
    const isLinear = /\.c_(attn|proj|fc)\.weight$/.test(name);
    const own = isLinear ? transposed(tensor) : tensor;
    if (!name.includes('.c_attn.')) return [[name, own]];
    return thirds(own).map((part, i) => [name.replace('attn.c_attn', `self_attn.${'qkv'[i]}_proj`), part]);
  });
  return renamed(
    {
      'transformer.wte': 'model.embed_tokens',
      'transformer.wpe': 'model.embed_positions',
      'transformer.ln_f': 'model.norm',
      'transformer.h.': 'model.layers.',
      ln_1: 'input_layernorm',
      ln_2: 'post_attention_layernorm',
      '.attn.c_proj': '.self_attn.o_proj',
      'mlp.c_fc': 'mlp.up_proj',
      'mlp.c_proj': 'mlp.down_proj'
    },
    Object.fromEntries(turned)
  );
}

const DISTILBERT = {
  'transformer.layer': 'encoder.layer',
  'attention.q_lin': 'attention.self.query',
  'attention.k_lin': 'attention.self.key',
  'attention.v_lin': 'attention.self.value',
  'attention.out_lin': 'attention.output.dense',
  sa_layer_norm: 'attention.output.LayerNorm',
  'ffn.lin1': 'intermediate.dense',
  'ffn.lin2': 'output.dense',
  output_layer_norm: 'output.LayerNorm'
};

/** The text of a model of images and text. @param {State} state */
const textOf = (state) =>
  renamed(
    { 'model.language_model.': 'model.' },
    only(state, (name) => !/^model\.(vision_tower|visual|multi_modal_projector)\./.test(name))
  );

/** The first dimension in parts. @param {Tensor} tensor @param {number[]} parts @returns {Tensor[]} */
function parted({ data, shape: [rows, ...rest] }, parts) {
  const width = data.length / rows;
  let at = 0;
  return parts.map((size) => ({ data: data.slice(at * width, (at += size) * width), shape: [size, ...rest] }));
}

/**
 * Queries as wide as what the output projection takes; keys and values share what is left.
 * @param {string} name @param {Tensor} tensor @param {State} state
 */
function phi3Projections(name, tensor, state) {
  const width = state[name.replace('qkv_proj', 'o_proj')].shape[1];
  const shared = (tensor.shape[0] - width) / 2;
  return parted(tensor, [width, shared, shared]).map((part, i) => [name.replace('qkv_proj', `${'qkv'[i]}_proj`), part]);
}

/** The gate and what it multiplies, which stand in one matrix. @param {State} state @returns {State} */
const withGates = (state) =>
  Object.fromEntries(
    Object.entries(state).flatMap(([name, tensor]) => {
      if (!name.includes('.gate_up_proj.')) return [[name, tensor]];
      const [gate, up] = parted(tensor, [tensor.shape[0] / 2, tensor.shape[0] / 2]);
      return [
        [name.replace('gate_up_proj', 'gate_proj'), gate],
        [name.replace('gate_up_proj', 'up_proj'), up]
      ];
    })
  );

/** Norms after attention and feed-forward network under other names. @param {string} attention @param {string} mlp */
const afterNorms = (attention, mlp) => (/** @type {State} */ state) =>
  renamed(
    {
      post_attention_layernorm: 'pre_feedforward_layernorm',
      [attention]: 'post_attention_layernorm',
      [mlp]: 'post_feedforward_layernorm'
    },
    state
  );

/**
 * By `model_type`: a state dict under attnscope's names, of families that have others.
 * @type {Record<string, (state: State) => State>}
 */
const renames = {
  distilbert: (state) => renamed(DISTILBERT, state),
  gpt2: fromGpt2,
  phi3: (state) =>
    Object.fromEntries(
      Object.entries(withGates(state)).flatMap(([name, tensor]) =>
        name.includes('.qkv_proj.') ? phi3Projections(name, tensor, state) : [[name, tensor]]
      )
    ),
  hunyuan_v1_dense: (state) => renamed({ query_layernorm: 'q_norm', key_layernorm: 'k_norm' }, state),
  glm: withGates,
  glm4: (state) => afterNorms('post_self_attn_layernorm', 'post_mlp_layernorm')(withGates(state)),
  hyperclovax: (state) =>
    Object.keys(state).some((name) => name.includes('post_norm1'))
      ? afterNorms('post_norm1', 'post_norm2')(state)
      : state,
  starcoder2: (state) => renamed({ 'mlp.c_fc': 'mlp.up_proj', 'mlp.c_proj': 'mlp.down_proj' }, state),
  gemma3: textOf,
  mistral3: textOf,
  qwen2_vl: textOf,
  qwen2_5_vl: textOf,
  qwen3_vl: textOf
};

/**
 * A state dict as `loadStateDict` takes it, whether that is another one, and its parameters: transformers names a tied
 * head beside the embedding.
 * @param {string} modelType @param {State} own @param {{tie_embeddings?: boolean}} config
 */
export function adapted(modelType, own, { tie_embeddings }) {
  const isRenamed = modelType in renames;
  const state = isRenamed ? renames[modelType](own) : own;
  const parameters = only(state, (name) => !tie_embeddings || name !== 'lm_head.weight');
  return { state, isRenamed, parameters };
}
