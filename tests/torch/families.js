// Config files of Hugging Face's families: those of published models, from their public architecture, and seeded
// variants.

/** @typedef {import('./draw.js').Draw} Draw */
/** @typedef {Record<string, any>} File a config.json */

const bert = {
  architectures: ['BertForMaskedLM'],
  attention_probs_dropout_prob: 0.1,
  hidden_act: 'gelu',
  hidden_dropout_prob: 0.1,
  hidden_size: 768,
  initializer_range: 0.02,
  intermediate_size: 3072,
  layer_norm_eps: 1e-12,
  max_position_embeddings: 512,
  model_type: 'bert',
  num_attention_heads: 12,
  num_hidden_layers: 12,
  pad_token_id: 0,
  position_embedding_type: 'absolute',
  transformers_version: '4.6.0',
  type_vocab_size: 2,
  use_cache: true,
  vocab_size: 30522
};

const qwen3 = {
  architectures: ['Qwen3ForCausalLM'],
  attention_bias: false,
  attention_dropout: 0,
  bos_token_id: 151643,
  eos_token_id: 151645,
  head_dim: 128,
  hidden_act: 'silu',
  hidden_size: 4096,
  initializer_range: 0.02,
  intermediate_size: 12288,
  max_position_embeddings: 40960,
  max_window_layers: 36,
  model_type: 'qwen3',
  num_attention_heads: 32,
  num_hidden_layers: 36,
  num_key_value_heads: 8,
  rms_norm_eps: 1e-6,
  rope_scaling: null,
  rope_theta: 1000000,
  sliding_window: null,
  tie_word_embeddings: false,
  torch_dtype: 'bfloat16',
  transformers_version: '4.51.0',
  use_cache: true,
  use_sliding_window: false,
  vocab_size: 151936
};

/** Every n-th layer attends to everything. @param {number} layers @param {number} n */
const layerTypes = (layers, n) =>
  Array.from({ length: layers }, (_, i) => ((i + 1) % n === 0 ? 'full_attention' : 'sliding_attention'));

/** By the model's name. @type {Record<string, File>} */
export const published = {
  'BERT base': bert,
  'BERT large': { ...bert, hidden_size: 1024, intermediate_size: 4096, num_attention_heads: 16, num_hidden_layers: 24 },
  DistilBERT: {
    activation: 'gelu',
    architectures: ['DistilBertForMaskedLM'],
    attention_dropout: 0.1,
    dim: 768,
    dropout: 0.1,
    hidden_dim: 3072,
    initializer_range: 0.02,
    max_position_embeddings: 512,
    model_type: 'distilbert',
    n_heads: 12,
    n_layers: 6,
    pad_token_id: 0,
    qa_dropout: 0.1,
    seq_classif_dropout: 0.2,
    sinusoidal_pos_embds: false,
    vocab_size: 30522
  },
  'RoBERTa base': {
    ...bert,
    architectures: ['RobertaForMaskedLM'],
    bos_token_id: 0,
    eos_token_id: 2,
    layer_norm_eps: 1e-5,
    max_position_embeddings: 514,
    model_type: 'roberta',
    pad_token_id: 1,
    type_vocab_size: 1,
    vocab_size: 50265
  },
  'GPT-2': {
    activation_function: 'gelu_new',
    architectures: ['GPT2LMHeadModel'],
    attn_pdrop: 0.1,
    bos_token_id: 50256,
    embd_pdrop: 0.1,
    eos_token_id: 50256,
    initializer_range: 0.02,
    layer_norm_epsilon: 1e-5,
    model_type: 'gpt2',
    n_ctx: 1024,
    n_embd: 768,
    n_head: 12,
    n_layer: 12,
    n_positions: 1024,
    resid_pdrop: 0.1,
    summary_activation: null,
    summary_first_dropout: 0.1,
    summary_proj_to_labels: true,
    summary_type: 'cls_index',
    summary_use_proj: true,
    vocab_size: 50257
  },
  'Llama-3-8B': {
    architectures: ['LlamaForCausalLM'],
    attention_bias: false,
    attention_dropout: 0,
    bos_token_id: 128000,
    eos_token_id: 128001,
    hidden_act: 'silu',
    hidden_size: 4096,
    initializer_range: 0.02,
    intermediate_size: 14336,
    max_position_embeddings: 8192,
    model_type: 'llama',
    num_attention_heads: 32,
    num_hidden_layers: 32,
    num_key_value_heads: 8,
    pretraining_tp: 1,
    rms_norm_eps: 1e-5,
    rope_scaling: null,
    rope_theta: 500000,
    tie_word_embeddings: false,
    torch_dtype: 'bfloat16',
    transformers_version: '4.40.0',
    use_cache: true,
    vocab_size: 128256
  },
  'Mistral-7B': {
    architectures: ['MistralForCausalLM'],
    bos_token_id: 1,
    eos_token_id: 2,
    hidden_act: 'silu',
    hidden_size: 4096,
    initializer_range: 0.02,
    intermediate_size: 14336,
    max_position_embeddings: 32768,
    model_type: 'mistral',
    num_attention_heads: 32,
    num_hidden_layers: 32,
    num_key_value_heads: 8,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    sliding_window: 4096,
    tie_word_embeddings: false,
    torch_dtype: 'bfloat16',
    transformers_version: '4.34.0',
    use_cache: true,
    vocab_size: 32000
  },
  'Qwen2-7B': {
    architectures: ['Qwen2ForCausalLM'],
    attention_dropout: 0,
    bos_token_id: 151643,
    eos_token_id: 151643,
    hidden_act: 'silu',
    hidden_size: 3584,
    initializer_range: 0.02,
    intermediate_size: 18944,
    max_position_embeddings: 131072,
    max_window_layers: 28,
    model_type: 'qwen2',
    num_attention_heads: 28,
    num_hidden_layers: 28,
    num_key_value_heads: 4,
    rms_norm_eps: 1e-6,
    rope_theta: 1000000,
    sliding_window: 131072,
    tie_word_embeddings: false,
    torch_dtype: 'bfloat16',
    transformers_version: '4.37.2',
    use_cache: true,
    use_sliding_window: false,
    vocab_size: 152064
  },
  'Qwen3-8B': qwen3,
  'Qwen3-0.6B': {
    ...qwen3,
    hidden_size: 1024,
    intermediate_size: 3072,
    max_window_layers: 28,
    num_attention_heads: 16,
    num_hidden_layers: 28,
    tie_word_embeddings: true
  },
  'Gemma-2-9B': {
    architectures: ['Gemma2ForCausalLM'],
    attention_bias: false,
    attention_dropout: 0,
    attn_logit_softcapping: 50,
    bos_token_id: 2,
    cache_implementation: 'hybrid',
    eos_token_id: 1,
    final_logit_softcapping: 30,
    head_dim: 256,
    hidden_act: 'gelu_pytorch_tanh',
    hidden_activation: 'gelu_pytorch_tanh',
    hidden_size: 3584,
    initializer_range: 0.02,
    intermediate_size: 14336,
    max_position_embeddings: 8192,
    model_type: 'gemma2',
    num_attention_heads: 16,
    num_hidden_layers: 42,
    num_key_value_heads: 8,
    pad_token_id: 0,
    query_pre_attn_scalar: 256,
    rms_norm_eps: 1e-6,
    rope_theta: 10000,
    sliding_window: 4096,
    sliding_window_size: 4096,
    torch_dtype: 'float32',
    transformers_version: '4.42.0',
    use_cache: true,
    vocab_size: 256000
  },
  // As transformers 5 writes it.
  'Gemma-3-1B': {
    architectures: ['Gemma3ForCausalLM'],
    attention_bias: false,
    attention_dropout: 0,
    attn_logit_softcapping: null,
    bos_token_id: 2,
    dtype: 'bfloat16',
    eos_token_id: [1, 106],
    final_logit_softcapping: null,
    head_dim: 256,
    hidden_activation: 'gelu_pytorch_tanh',
    hidden_size: 1152,
    initializer_range: 0.02,
    intermediate_size: 6912,
    layer_types: layerTypes(26, 6),
    max_position_embeddings: 32768,
    model_type: 'gemma3_text',
    num_attention_heads: 4,
    num_hidden_layers: 26,
    num_key_value_heads: 1,
    pad_token_id: 0,
    query_pre_attn_scalar: 256,
    rms_norm_eps: 1e-6,
    rope_parameters: {
      full_attention: { rope_theta: 1000000, rope_type: 'default' },
      sliding_attention: { rope_theta: 10000, rope_type: 'default' }
    },
    sliding_window: 512,
    tie_word_embeddings: true,
    transformers_version: '5.0.0',
    use_bidirectional_attention: false,
    use_cache: true,
    vocab_size: 262144
  },
  'DeepSeek-V3': {
    architectures: ['DeepseekV3ForCausalLM'],
    attention_bias: false,
    attention_dropout: 0,
    bos_token_id: 0,
    eos_token_id: 1,
    ep_size: 1,
    first_k_dense_replace: 3,
    hidden_act: 'silu',
    hidden_size: 7168,
    initializer_range: 0.02,
    intermediate_size: 18432,
    kv_lora_rank: 512,
    max_position_embeddings: 163840,
    model_type: 'deepseek_v3',
    moe_intermediate_size: 2048,
    moe_layer_freq: 1,
    n_group: 8,
    n_routed_experts: 256,
    n_shared_experts: 1,
    norm_topk_prob: true,
    num_attention_heads: 128,
    num_experts_per_tok: 8,
    num_hidden_layers: 61,
    num_key_value_heads: 128,
    num_nextn_predict_layers: 1,
    q_lora_rank: 1536,
    qk_nope_head_dim: 128,
    qk_rope_head_dim: 64,
    quantization_config: { quant_method: 'fp8', weight_block_size: [128, 128] },
    rms_norm_eps: 1e-6,
    rope_scaling: {
      beta_fast: 32,
      beta_slow: 1,
      factor: 40,
      mscale: 1,
      mscale_all_dim: 1,
      original_max_position_embeddings: 4096,
      type: 'yarn'
    },
    rope_theta: 10000,
    routed_scaling_factor: 2.5,
    scoring_func: 'sigmoid',
    tie_word_embeddings: false,
    topk_group: 4,
    topk_method: 'noaux_tc',
    torch_dtype: 'bfloat16',
    transformers_version: '4.33.1',
    use_cache: true,
    v_head_dim: 128,
    vocab_size: 129280
  }
};

const DROP_SHARE = 0.3;

/**
 * Without some of the keys for which the family's default may stand in.
 * @param {Draw} draw
 * @param {File} file
 * @param {string} keys
 */
function some(draw, file, keys) {
  const dropped = keys.split(' ').filter(() => draw.uniform() < DROP_SHARE);
  return Object.fromEntries(Object.entries(file).filter(([key]) => !dropped.includes(key)));
}

const flag = (/** @type {Draw} */ draw) => draw.one([false, true]);

/** Heads that share a width. @param {Draw} draw */
function heads(draw) {
  const num_attention_heads = draw.one([1, 2, 3, 4, 6, 8, 12]);
  const group = draw.one([1, 2, 3, 4, 6].filter((count) => num_attention_heads % count === 0));
  const hidden_size = num_attention_heads * draw.one([2, 6, 8, 16, 20]);
  return { num_attention_heads, num_key_value_heads: num_attention_heads / group, hidden_size };
}

const sizes = (/** @type {Draw} */ draw) => ({
  vocab_size: 3 + draw.below(500),
  intermediate_size: 1 + draw.below(200),
  num_hidden_layers: 1 + draw.below(9),
  max_position_embeddings: 64 + draw.below(100)
});
const SIZES = 'vocab_size intermediate_size num_hidden_layers max_position_embeddings';

/** @param {Draw} draw @returns {File} */
function bertVariant(draw) {
  const { num_key_value_heads, ...own } = heads(draw);
  const hidden_act = draw.one(['gelu', 'gelu_new', 'relu', 'silu']);
  const file = { ...sizes(draw), ...own, hidden_act, type_vocab_size: draw.one([1, 2, 5]) };
  return some(draw, file, `${SIZES} hidden_act type_vocab_size`);
}

/** Under another family's names; keys that it does not have are left out. @param {File} file @param {File} names */
const renamed = (file, names) =>
  Object.fromEntries(Object.entries(names).flatMap(([key, name]) => (key in file ? [[name, file[key]]] : [])));

/** The base of the rotation, at either of the places where transformers wrote it. @param {Draw} draw */
const rope = (draw) =>
  draw.one([{}, { rope_theta: 500000 }, { rope_parameters: { rope_theta: 20000, rope_type: 'default' } }]);

/** A head_dim that is not hidden_size / num_attention_heads, half of the time. @param {Draw} draw */
const headDim = (draw) => (flag(draw) ? { head_dim: draw.one([4, 10, 24, 64]) } : {});

/** @param {Draw} draw @returns {File} */
function ropeVariant(draw) {
  const torch_dtype = draw.one(['float32', 'float16', 'bfloat16']);
  const file = { ...sizes(draw), ...heads(draw), ...rope(draw), tie_word_embeddings: flag(draw), torch_dtype };
  return some(draw, file, `${SIZES} tie_word_embeddings torch_dtype`);
}

/** Windows as Qwen has them, of the patterns that full_every can say. @param {Draw} draw */
function qwenWindows(draw) {
  const sliding_window = 2 + draw.below(40);
  const windowed = { use_sliding_window: true, sliding_window, max_window_layers: draw.one([0, 99]) };
  return draw.one([{}, { use_sliding_window: false, sliding_window }, windowed]);
}

/** @param {Draw} draw @returns {File} */
const gemmaVariant = (draw) => ({
  ...ropeVariant(draw),
  ...headDim(draw),
  attention_bias: flag(draw),
  query_pre_attn_scalar: 64 + draw.below(200),
  sliding_window: 2 + draw.below(40)
});

/** @param {Draw} draw @returns {File} */
function gemma3Variant(draw) {
  const { rope_parameters: full_attention, num_hidden_layers = 26, ...file } = gemmaVariant(draw);
  const sliding_attention = { rope_theta: 10000, rope_type: 'default' };
  const n = draw.one([1, 2, 3, 6]);
  return {
    ...file,
    num_hidden_layers,
    ...(full_attention && { rope_parameters: { full_attention, sliding_attention } }),
    ...draw.one([{}, { layer_types: layerTypes(num_hidden_layers, n) }, { sliding_window_pattern: n }]),
    ...draw.one([{}, { use_bidirectional_attention: true }])
  };
}

const oneWindow = (/** @type {Draw} */ draw) => ({ sliding_window: draw.one([null, 2 + draw.below(40)]) });

/** A decoder of text in a file of images and text. @param {Draw} draw @param {File} file */
function inText(draw, { tie_word_embeddings, torch_dtype = 'float32', ...text_config }) {
  const tied = tie_word_embeddings === undefined ? {} : { tie_word_embeddings };
  return flag(draw) ? { torch_dtype, ...tied, text_config } : { ...tied, text_config: { torch_dtype, ...text_config } };
}

/** The keys of the text inside, or as older files have them. @param {Draw} draw */
function qwenVlVariant(draw) {
  const { rope_parameters, rope_theta = 10000, ...own } = ropeVariant(draw);
  const mrope_section = [own.hidden_size / own.num_attention_heads / 2, 0, 0];
  const ropes = [
    { rope_theta, rope_scaling: { type: 'mrope', mrope_section } },
    { rope_parameters: { rope_type: 'default', mrope_section, rope_theta } }
  ];
  const file = { ...own, ...draw.one(ropes), ...qwenWindows(draw) };
  return flag(draw) ? file : inText(draw, file);
}

/** @param {Draw} draw @returns {File} */
function ministral3Variant(draw) {
  /** @type {File} */
  const whole = { ...ropeVariant(draw), ...headDim(draw), ...oneWindow(draw), pad_token_id: null };
  const { rope_parameters, ...file } = whole;
  const scaling = { llama_4_scaling_beta: 0.1, original_max_position_embeddings: 16 };
  return rope_parameters ? { ...file, rope_parameters: { ...rope_parameters, ...scaling } } : file;
}

/** @param {Draw} draw @returns {File} */
const graniteVariant = (draw) => ({
  ...ropeVariant(draw),
  ...headDim(draw),
  attention_bias: flag(draw),
  mlp_bias: flag(draw),
  attention_multiplier: draw.one([0.25, 1]),
  embedding_multiplier: draw.one([1, 12]),
  residual_multiplier: draw.one([1, 0.22]),
  logits_scaling: draw.one([1, 16])
});

/** @param {Draw} draw @returns {File} */
const arceeVariant = (draw) => ({
  ...ropeVariant(draw),
  ...headDim(draw),
  attention_bias: flag(draw),
  mlp_bias: flag(draw)
});

/** @param {Draw} draw @returns {File} */
const glmVariant = (draw) => ({
  ...ropeVariant(draw),
  ...draw.one([{}, { head_dim: 8 }]),
  ...draw.one([{}, { partial_rotary_factor: 0.25 }]),
  pad_token_id: 0,
  attention_bias: flag(draw)
});

/** Heads divide the hidden size. @param {Draw} draw @returns {File} */
function latentVariant(draw) {
  const num_attention_heads = 1 + draw.below(12);
  return {
    num_attention_heads,
    hidden_size: num_attention_heads * (1 + draw.below(20)),
    kv_lora_rank: 1 + draw.below(60),
    q_lora_rank: draw.one([null, 1 + draw.below(60)]),
    qk_nope_head_dim: 1 + draw.below(40),
    qk_rope_head_dim: 2 * (1 + draw.below(16)),
    v_head_dim: 1 + draw.below(40),
    attention_bias: flag(draw)
  };
}

/** By `model_type`: a random file of that family. @type {Record<string, (draw: Draw) => File>} */
const drawn = {
  bert: bertVariant,
  roberta: bertVariant,
  'xlm-roberta': bertVariant,
  distilbert: (draw) => ({
    ...renamed(bertVariant(draw), {
      hidden_size: 'dim',
      num_attention_heads: 'n_heads',
      num_hidden_layers: 'n_layers',
      intermediate_size: 'hidden_dim',
      hidden_act: 'activation',
      vocab_size: 'vocab_size',
      max_position_embeddings: 'max_position_embeddings'
    }),
    sinusoidal_pos_embds: flag(draw)
  }),
  gpt2(draw) {
    const file = renamed(
      { ...sizes(draw), ...heads(draw) },
      {
        hidden_size: 'n_embd',
        num_attention_heads: 'n_head',
        num_hidden_layers: 'n_layer',
        intermediate_size: 'n_inner',
        vocab_size: 'vocab_size',
        max_position_embeddings: 'n_positions'
      }
    );
    const activation_function = draw.one(['gelu_new', 'relu', 'gelu']);
    return some(
      draw,
      { ...file, activation_function, tie_word_embeddings: flag(draw) },
      'n_layer n_inner vocab_size n_positions activation_function tie_word_embeddings'
    );
  },
  llama(draw) {
    const biases = { attention_bias: flag(draw), mlp_bias: flag(draw) };
    const file = { ...ropeVariant(draw), ...headDim(draw), ...biases };
    return some(draw, file, 'num_key_value_heads attention_bias mlp_bias');
  },
  mistral: (draw) => ({ ...ropeVariant(draw), ...headDim(draw), sliding_window: draw.one([null, 2 + draw.below(40)]) }),
  qwen2: (draw) => ({ ...ropeVariant(draw), ...qwenWindows(draw) }),
  qwen3: (draw) => ({ ...ropeVariant(draw), ...qwenWindows(draw), ...headDim(draw), attention_bias: flag(draw) }),
  gemma2: gemmaVariant,
  gemma3_text: gemma3Variant,
  gemma3(draw) {
    const { tie_word_embeddings, torch_dtype = 'float32', ...text_config } = gemma3Variant(draw);
    return { torch_dtype, ...(tie_word_embeddings === undefined ? {} : { tie_word_embeddings }), text_config };
  },
  gemma: (draw) => ({ ...ropeVariant(draw), ...headDim(draw), attention_bias: flag(draw) }),
  phi3: (draw) => ({ ...ropeVariant(draw), ...headDim(draw), ...oneWindow(draw), pad_token_id: null }),
  granite: graniteVariant,
  hyperclovax: (draw) => ({ ...graniteVariant(draw), use_post_norm: flag(draw) }),
  arcee: arceeVariant,
  jais2: arceeVariant,
  nemotron(draw) {
    const { head_dim: _, ...file } = arceeVariant(draw);
    return { ...file, hidden_size: file.num_attention_heads * draw.one([4, 8, 12]) }; // half a head is of pairs
  },
  glm: glmVariant,
  glm4: glmVariant,
  helium(draw) {
    const file = ropeVariant(draw);
    const head_dim = file.hidden_size / file.num_attention_heads; // as wide as its output projection
    return { ...file, head_dim, attention_bias: flag(draw), mlp_bias: flag(draw) };
  },
  ernie4_5: (draw) => ({
    ...ropeVariant(draw),
    ...draw.one([{}, { head_dim: 6 }, { head_dim: null }]),
    use_bias: flag(draw)
  }),
  olmo2: (draw) => ({ ...ropeVariant(draw), ...headDim(draw), pad_token_id: null, attention_bias: flag(draw) }),
  olmo3(draw) {
    const { num_hidden_layers = 32, ...file } = ropeVariant(draw);
    const types = draw.one([{}, { layer_types: layerTypes(num_hidden_layers, draw.one([1, 2, 3, 4])) }]);
    const own = { pad_token_id: null, sliding_window: 2 + draw.below(40), attention_bias: flag(draw) };
    return { ...file, num_hidden_layers, ...headDim(draw), ...own, ...types };
  },
  exaone4(draw) {
    const { num_hidden_layers = 32, ...file } = ropeVariant(draw);
    const windows = draw.one([
      { sliding_window: null, layer_types: layerTypes(num_hidden_layers, 1) },
      { sliding_window: 2 + draw.below(40), sliding_window_pattern: draw.one([1, 2, 4]) },
      { sliding_window: 2 + draw.below(40), layer_types: layerTypes(num_hidden_layers, 3) }
    ]);
    return { ...file, num_hidden_layers, ...headDim(draw), ...windows };
  },
  hunyuan_v1_dense: (draw) => ({
    ...ropeVariant(draw),
    head_dim: draw.one([4, 10, 24]),
    pad_token_id: null,
    attention_bias: flag(draw)
  }),
  smollm3(draw) {
    const { num_hidden_layers = 36, ...file } = ropeVariant(draw);
    const bits = Array.from({ length: num_hidden_layers }, () => draw.below(2));
    return {
      ...file,
      num_hidden_layers,
      ...headDim(draw),
      pad_token_id: null,
      attention_bias: flag(draw),
      mlp_bias: flag(draw),
      ...draw.one([{}, { no_rope_layer_interval: draw.one([1, 3, 50]) }, { no_rope_layers: bits }])
    };
  },
  stablelm(draw) {
    const file = ropeVariant(draw);
    const hidden_size = file.num_attention_heads * draw.one([8, 16, 24]); // a quarter of a head is of pairs
    return { ...file, hidden_size, use_qkv_bias: flag(draw) };
  },
  starcoder2: (draw) => ({ ...ropeVariant(draw), ...headDim(draw), ...oneWindow(draw), use_bias: flag(draw) }),
  seed_oss: (draw) => ({
    ...ropeVariant(draw),
    ...headDim(draw),
    pad_token_id: null,
    attention_bias: flag(draw),
    attention_out_bias: flag(draw),
    mlp_bias: flag(draw)
  }),
  ministral(draw) {
    const { num_hidden_layers = 32, ...file } = ropeVariant(draw);
    const n = draw.one([1, 2, 3]);
    const types = draw.one([{}, { layer_types: layerTypes(num_hidden_layers, n) }]);
    const own = { head_dim: draw.one([4, 10, 24]), sliding_window: 2 + draw.below(40) };
    return { ...file, num_hidden_layers, ...own, ...types };
  },
  ministral3: ministral3Variant,
  qwen2_vl: qwenVlVariant,
  qwen2_5_vl: qwenVlVariant,
  qwen3_vl: (draw) => inText(draw, { ...ropeVariant(draw), ...headDim(draw), attention_bias: flag(draw) }),
  mistral3(draw) {
    const file = { ...ropeVariant(draw), ...headDim(draw), ...oneWindow(draw), pad_token_id: null };
    const texts = [file, { ...file, model_type: 'mistral' }, { ...ministral3Variant(draw), model_type: 'ministral3' }];
    return inText(draw, draw.one(texts));
  },
  deepseek_v2: latentVariant,
  deepseek_v3: (draw) => ({ ...latentVariant(draw), hidden_size: 1 + draw.below(200) })
};

export const modelTypes = Object.keys(drawn);

const small = {
  vocab_size: 50,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  intermediate_size: 40,
  max_position_embeddings: 64
};
const MIXED = ['full_attention', 'sliding_attention'];

/**
 * Files with keys of other classes, by which transformers cuts its cache, and one of Mistral with a cache that is not
 * cut though its layers have a window.
 * @type {Record<string, File>}
 */
export const otherCaches = {
  'full layers of Mistral': { model_type: 'mistral', ...small, sliding_window: 6, layer_types: MIXED },
  'chunks of Mistral': { model_type: 'mistral', ...small, sliding_window: null, attention_chunk_size: 6 },
  'layers of Mistral that share': { model_type: 'mistral', ...small, sliding_window: null, num_kv_shared_layers: 1 },
  'a window of Llama': { model_type: 'llama', ...small, sliding_window: 6 },
  'layers of Llama': { model_type: 'llama', ...small, sliding_window: 6, layer_types: MIXED },
  'chunks of Llama': { model_type: 'llama', ...small, attention_chunk_size: 6 },
  'layers of Llama that share': { model_type: 'llama', ...small, num_kv_shared_layers: 1 }
};

/** @param {Draw} draw @param {number} count @returns {{name: string, hf: File}[]} `count` files of each family */
export function variants(draw, count) {
  return Object.entries(drawn).flatMap(([model_type, one]) =>
    Array.from({ length: count }, (_, i) => ({
      name: `${model_type} variant ${i + 1}`,
      hf: { model_type, ...one(draw) }
    }))
  );
}

/**
 * Lengths that the positions of every variant hold, past most windows.
 * @param {Draw} draw
 * @param {boolean} cached whether the layer has a KV cache
 */
export function lengths(draw, cached) {
  const own = { batch_size: 1 + draw.below(3), seq_len: 1 + draw.below(24) };
  return cached ? { ...own, past_len: draw.below(40) } : own;
}
