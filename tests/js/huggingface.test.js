// fromHuggingFace(): the config that a Hugging Face file becomes, and what is said of each of its keys. Whether the
// sizes are those of the models is for tests/torch.

import assert from 'node:assert/strict';
import test from 'node:test';
import { fromHuggingFace, open } from '../../web/lib/index.js';
import { parsePythonJson } from '../../web/plain/python-json.js';
import { Draw } from '../torch/draw.js';
import { modelTypes, published, variants } from '../torch/families.js';

const row = (file, key) => fromHuggingFace(file).keys.find((one) => one.key === key);

/** The names of a file's keys, those inside `text_config` among them. */
const namesOf = (file) =>
  Object.entries(file).flatMap(([key, value]) =>
    key === 'text_config' ? Object.keys(value).map((inner) => `text_config.${inner}`) : [key]
  );

const llama = {
  layer: 'decoder',
  gated: true,
  norm: 'rms_norm',
  post_norms: false,
  position: 'rope',
  qk_norm: false,
  bias: false,
  output_bias: false,
  mlp_bias: false,
  vocab_size: 32000,
  hidden_size: 4096,
  intermediate_size: 11008,
  num_layers: 32,
  num_heads: 32,
  num_kv_heads: null,
  head_dim: null,
  activation: 'silu',
  max_positions: 2048,
  norm_eps: 1e-6,
  tie_embeddings: false,
  padding_idx: null,
  rope_theta: 10000
};
const bert = {
  layer: 'encoder',
  norm_first: false,
  position: 'learned',
  bias: true,
  pooler: true,
  vocab_size: 30522,
  hidden_size: 768,
  num_layers: 12,
  num_heads: 12,
  intermediate_size: 3072,
  activation: 'gelu',
  dropout: 0.1,
  max_positions: 512,
  type_vocab_size: 2,
  norm_eps: 1e-12,
  padding_idx: 0
};
const { head_dim, ...qwen2 } = {
  ...llama,
  bias: true,
  vocab_size: 151936,
  intermediate_size: 22016,
  num_kv_heads: 32,
  max_positions: 32768,
  window: null,
  full_every: null
};
const gemma2 = {
  ...llama,
  norm: 'rms_norm_plus_one',
  post_norms: true,
  embedding_scale: 48,
  attn_logit_softcapping: 50,
  final_logit_softcapping: 30,
  vocab_size: 256000,
  hidden_size: 2304,
  intermediate_size: 9216,
  num_layers: 26,
  num_heads: 8,
  num_kv_heads: 4,
  head_dim: 256,
  activation: 'gelu_tanh',
  max_positions: 8192,
  tie_embeddings: true,
  padding_idx: 0,
  scale: 0.0625,
  window: 4096,
  full_every: 2
};
const { attn_logit_softcapping, final_logit_softcapping, ...gemma3 } = {
  ...gemma2,
  qk_norm: true,
  vocab_size: 262208,
  max_positions: 131072,
  rope_theta: 1e6,
  rope_local_base_freq: 1e4,
  full_every: 6
};

const { head_dim: ownHeadDim, ...withoutHeadDim } = llama;
const { window, full_every, ...withoutWindow } = qwen2;
const granite = { ...withoutHeadDim, scale: 1, embedding_scale: null, residual_scale: null, logit_scale: null };
const arcee = {
  ...llama,
  gated: false,
  activation: 'relu2',
  hidden_size: 2560,
  intermediate_size: 18432,
  max_positions: 4096,
  norm_eps: 1e-5
};
const olmo2 = {
  ...withoutHeadDim,
  pre_norms: false,
  post_norms: true,
  qk_norm: true,
  qk_norm_after: 'projection',
  vocab_size: 50304,
  norm_eps: 1e-5,
  padding_idx: 1
};
const glm = {
  ...llama,
  rope_interleave: true,
  rotary_dim: 64,
  bias: true,
  output_bias: false,
  vocab_size: 151552,
  intermediate_size: 13696,
  num_layers: 40,
  num_kv_heads: 2,
  head_dim: 128,
  max_positions: 131072,
  norm_eps: 1.5625e-7,
  padding_idx: 151329
};
const mistral = { ...llama, intermediate_size: 14336, num_kv_heads: 8, max_positions: 131072, window: 4096 };
const qwen2Vl = {
  ...qwen2,
  vocab_size: 152064,
  hidden_size: 8192,
  intermediate_size: 29568,
  num_layers: 80,
  num_heads: 64,
  num_kv_heads: 8,
  norm_eps: 1e-5,
  rope_theta: 1e6
};
const latent = {
  layer: 'latent_attention',
  norm_eps: 1e-6,
  hidden_size: 7168,
  num_heads: 128,
  q_lora_rank: 1536,
  kv_lora_rank: 512,
  qk_nope_head_dim: 128,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  bias: false,
  rope_theta: 10000,
  rope_interleave: true
};

/** What a file with nothing but its model_type says. */
const bare = {
  bert,
  roberta: { ...bert, padding_idx: 1, position_offset: 2, vocab_size: 50265 },
  'xlm-roberta': { ...bert, padding_idx: 1, position_offset: 2 },
  distilbert: { ...bert, num_layers: 6, pooler: false, type_vocab_size: 0 },
  gpt2: {
    layer: 'decoder',
    gated: false,
    norm: 'layer_norm',
    post_norms: false,
    position: 'learned',
    qk_norm: false,
    bias: true,
    output_bias: true,
    mlp_bias: true,
    vocab_size: 50257,
    max_positions: 1024,
    hidden_size: 768,
    num_layers: 12,
    num_heads: 12,
    intermediate_size: 3072,
    activation: 'gelu_tanh',
    norm_eps: 1e-5,
    scale: null,
    tie_embeddings: true
  },
  llama,
  mistral,
  qwen2,
  qwen3: { ...qwen2, bias: false, qk_norm: true, head_dim: 128 },
  gemma2,
  gemma3_text: { ...gemma3, final_logit_softcapping: null },
  gemma3,
  gemma: {
    ...llama,
    norm: 'rms_norm_plus_one',
    vocab_size: 256000,
    hidden_size: 3072,
    embedding_scale: 3072 ** 0.5,
    intermediate_size: 24576,
    num_layers: 28,
    num_heads: 16,
    num_kv_heads: 16,
    head_dim: 256,
    activation: 'gelu_tanh',
    max_positions: 8192,
    tie_embeddings: true,
    padding_idx: 0
  },
  phi3: {
    ...withoutHeadDim,
    vocab_size: 32064,
    hidden_size: 3072,
    intermediate_size: 8192,
    max_positions: 4096,
    norm_eps: 1e-5,
    padding_idx: 32000,
    window: null,
    rotary_dim: null
  },
  granite,
  hyperclovax: { ...granite, scale: null, post_norms: true },
  arcee,
  jais2: {
    ...arcee,
    norm: 'layer_norm',
    vocab_size: 150272,
    hidden_size: 3328,
    intermediate_size: 26624,
    num_heads: 26,
    max_positions: 8192,
    bias: true,
    output_bias: true,
    mlp_bias: true
  },
  nemotron: {
    ...arcee,
    norm: 'layer_norm_plus_one',
    vocab_size: 256000,
    hidden_size: 6144,
    intermediate_size: 24576,
    num_heads: 48,
    rotary_dim: 64
  },
  glm,
  glm4: { ...glm, post_norms: true },
  olmo2,
  olmo3: { ...olmo2, window: 4096, full_every: 4 },
  exaone4: {
    ...withoutHeadDim,
    pre_norms: false,
    post_norms: true,
    qk_norm: true,
    vocab_size: 102400,
    intermediate_size: 16384,
    num_kv_heads: 32,
    norm_eps: 1e-5,
    window: 4096,
    full_every: 4,
    nope_every: 4
  },
  hunyuan_v1_dense: {
    ...llama,
    qk_norm: true,
    qk_norm_after: 'rotation',
    vocab_size: 290943,
    norm_eps: 1e-5,
    padding_idx: 0
  },
  helium: {
    ...llama,
    rope_interleave: true,
    rope_theta: 1e5,
    vocab_size: 48000,
    hidden_size: 2560,
    intermediate_size: 7040,
    num_layers: 24,
    num_heads: 20,
    num_kv_heads: 20,
    head_dim: 128,
    max_positions: 4096,
    norm_eps: 1e-8,
    padding_idx: 3
  },
  ernie4_5: {
    ...llama,
    rope_interleave: true,
    rope_theta: 5e5,
    vocab_size: 103424,
    hidden_size: 1024,
    intermediate_size: 3072,
    num_layers: 18,
    num_heads: 16,
    num_kv_heads: 2,
    head_dim: 128,
    max_positions: 131072,
    norm_eps: 1e-5,
    tie_embeddings: true,
    padding_idx: 0
  },
  smollm3: {
    ...withoutHeadDim,
    vocab_size: 128256,
    hidden_size: 2048,
    num_layers: 36,
    num_heads: 16,
    num_kv_heads: 4,
    max_positions: 32768,
    tie_embeddings: true,
    padding_idx: 128004,
    rope_theta: 2e6,
    window: null,
    full_every: null,
    nope_every: 4
  },
  stablelm: {
    ...withoutHeadDim,
    norm: 'layer_norm',
    norm_eps: 1e-5,
    vocab_size: 50304,
    hidden_size: 2560,
    intermediate_size: 6912,
    num_kv_heads: 32,
    max_positions: 4096,
    rotary_dim: 20
  },
  starcoder2: {
    ...withoutHeadDim,
    gated: false,
    norm: 'layer_norm',
    bias: true,
    output_bias: true,
    mlp_bias: true,
    activation: 'gelu_tanh',
    norm_eps: 1e-5,
    vocab_size: 49152,
    hidden_size: 3072,
    intermediate_size: 12288,
    num_layers: 30,
    num_heads: 24,
    num_kv_heads: 2,
    max_positions: 4096,
    tie_embeddings: true,
    window: null
  },
  seed_oss: {
    ...llama,
    bias: true,
    vocab_size: 155136,
    intermediate_size: 27648,
    num_layers: 64,
    num_heads: 80,
    num_kv_heads: 8,
    head_dim: 128,
    max_positions: 524288,
    padding_idx: 1
  },
  ministral: { ...mistral, full_every: null },
  ministral3: {
    ...mistral,
    vocab_size: 131072,
    num_layers: 34,
    head_dim: 128,
    max_positions: 262144,
    norm_eps: 1e-5,
    padding_idx: 11,
    rope_theta: 1e6,
    window: null
  },
  qwen2_vl: qwen2Vl,
  qwen2_5_vl: qwen2Vl,
  qwen3_vl: { ...withoutWindow, bias: false, qk_norm: true, head_dim: 128, max_positions: 128000, rope_theta: 5e5 },
  mistral3: {
    ...mistral,
    vocab_size: 131072,
    hidden_size: 5120,
    intermediate_size: 32768,
    num_layers: 40,
    head_dim: 128,
    norm_eps: 1e-5,
    rope_theta: 1e9,
    tie_embeddings: true,
    window: null
  },
  deepseek_v2: { ...latent, hidden_size: 4096, num_heads: 32 },
  deepseek_v3: latent
};

test('there is a case for each family', () => assert.deepEqual(Object.keys(bare).sort(), [...modelTypes].sort()));

for (const [model_type, expected] of Object.entries(bare)) {
  test(`a file that only says ${model_type} gets the defaults of its configuration class, each listed`, () => {
    const { config, keys } = fromHuggingFace({ model_type });
    assert.deepEqual(config, expected);
    assert.deepEqual(keys[0], { key: 'model_type', value: model_type, use: 'used', fields: ['layer'] });
    assert.ok(keys.length > 8);
    for (const { use, fields } of keys.slice(1)) assert.ok(use === 'defaulted' && fields.length > 0);
  });
}

const files = [
  ...Object.entries(published).map(([name, hf]) => ({ name, hf })),
  ...variants(new Draw(7), 5),
  {
    name: 'text and images',
    hf: {
      ...published['Gemma-3-1B'],
      model_type: 'gemma3',
      vision_config: { a: 1 },
      text_config: { hidden_size: 8, unknown: 1 }
    }
  }
];
for (const { name, hf } of files) {
  test(`${name}: each key of the file is listed once, in its order, and each field is set by a key or by the family`, () => {
    const before = structuredClone(hf);
    const { config, keys } = fromHuggingFace(hf);
    assert.deepEqual(hf, before);
    assert.deepEqual(
      keys.filter(({ use }) => use !== 'defaulted').map(({ key }) => key),
      namesOf(hf)
    );
    assert.equal(new Set(keys.map(({ key }) => key)).size, keys.length);
    for (const { key, use, fields } of keys) {
      assert.equal(fields.length > 0, use !== 'ignored', key);
      for (const field of fields) assert.ok(Object.hasOwn(config, field), `${key} sets ${field}`);
    }
    assert.ok(!('batch_size' in config) && !('seq_len' in config));
  });
}

test('the core sizes each published model as promised', async () => {
  const scope = await open({ threads: 1 });
  const parameters = (name) => scope.estimate(fromHuggingFace(published[name]).config).parameters;
  for (const [name, total] of Object.entries({
    'BERT base': 109482240,
    'BERT large': 335141888,
    DistilBERT: 66362880,
    'RoBERTa base': 124645632,
    'GPT-2': 124439808,
    'Llama-3-8B': 8030261248
  }))
    assert.equal(parameters(name), total, name);
  for (const name of Object.keys(published)) assert.ok(parameters(name) > 1e6, name);
});

test('RoBERTa takes as many positions as follow its padding token', async () => {
  const scope = await open({ threads: 1 });
  const sized = (seq_len) => scope.estimate({ ...fromHuggingFace(published['RoBERTa base']).config, seq_len });
  assert.equal(sized(512).parameters, 124645632);
  assert.throws(() => sized(513), {
    field: 'seq_len',
    message: 'seq_len must be at most max_positions - position_offset (512) where position is learned, got 513'
  });
});

test('a table of learned positions does not grow with what is asked of it', async () => {
  const scope = await open({ threads: 1 });
  const { config } = fromHuggingFace(published['GPT-2']);
  const at = (past_len) => scope.estimate({ ...config, seq_len: 1, past_len }).parameters;
  assert.deepEqual([at(0), at(1023)], [124439808, 124439808]);
  assert.throws(() => at(32767), {
    field: 'seq_len',
    message: 'past_len + seq_len must be at most max_positions (1024) where position is learned, got 32768'
  });
});

test('the family is the one whose rules were read', () => {
  const family = (model_type) => fromHuggingFace({ model_type }).family;
  assert.deepEqual(['xlm-roberta', 'gemma3_text', 'gemma3', 'gpt2'].map(family), [
    'roberta',
    'gemma3',
    'gemma3',
    'gpt2'
  ]);
});

test('a key says what it set, what stood in for it, or why it changes nothing', () => {
  const file = {
    model_type: 'llama',
    attention_bias: true,
    use_cache: true,
    architectures: ['LlamaForCausalLM'],
    attention_dropout: 0.1,
    colour: 'red'
  };
  assert.deepEqual(fromHuggingFace(file).keys.slice(0, 6), [
    { key: 'model_type', value: 'llama', use: 'used', fields: ['layer'] },
    { key: 'attention_bias', value: true, use: 'used', fields: ['bias', 'output_bias'] },
    { key: 'use_cache', value: true, use: 'ignored', fields: [] },
    {
      key: 'architectures',
      value: ['LlamaForCausalLM'],
      use: 'ignored',
      fields: [],
      note: 'sized as LlamaForCausalLM'
    },
    {
      key: 'attention_dropout',
      value: 0.1,
      use: 'ignored',
      fields: [],
      note: 'for training; the decoder has no dropout'
    },
    { key: 'colour', value: 'red', use: 'ignored', fields: [], note: 'LlamaConfig has no such key' }
  ]);
  assert.deepEqual(row(file, 'num_key_value_heads'), {
    key: 'num_key_value_heads',
    value: null,
    use: 'defaulted',
    fields: ['num_kv_heads'],
    note: 'null: as many as num_attention_heads'
  });
});

const BOTH_WAYS = 'the model attends both ways and has no KV cache; this decoder attends to positions before alone';
const PLAIN = { smollm3: { no_rope_layer_interval: 50 } }; // keys by which nothing else differs
const OTHER_CACHE = 'transformers keeps less in its KV cache by it, whatever the layers attend to';

// Whether these are all is for tests/torch, which runs such models.
for (const [file, key, differs] of [
  [
    { model_type: 'bert', is_decoder: true },
    'is_decoder',
    'the model attends to positions before alone and has a KV cache; this encoder attends both ways'
  ],
  [
    { model_type: 'gpt2', scale_attn_by_inverse_layer_idx: true },
    'scale_attn_by_inverse_layer_idx',
    'the model divides the scores of its n-th layer by n; this decoder does not'
  ],
  [
    { model_type: 'llama', rope_scaling: { rope_type: 'llama3', factor: 8 } },
    'rope_scaling',
    'rope_type "llama3" turns positions by other angles than rope_theta gives, which are those here'
  ],
  [
    { model_type: 'qwen2', rope_scaling: { type: 'yarn', factor: 4 } },
    'rope_scaling',
    'rope_type "yarn" turns positions by other angles than rope_theta gives, which are those here'
  ],
  [
    { model_type: 'gemma3_text', rope_parameters: { full_attention: { rope_type: 'linear', factor: 8 } } },
    'rope_parameters',
    'rope_type "linear" turns positions by other angles than rope_theta gives, which are those here'
  ],
  [{ model_type: 'gemma2', use_bidirectional_attention: true }, 'use_bidirectional_attention', BOTH_WAYS],
  ...['gpt2', 'llama', 'mistral', 'qwen2', 'qwen3', 'gemma2', 'gemma3_text', 'deepseek_v3'].map((model_type) => [
    { model_type, is_causal: false },
    'is_causal',
    BOTH_WAYS
  ]),
  ...['bert', 'roberta', 'xlm-roberta', 'distilbert'].map((model_type) => [
    { model_type, is_causal: true },
    'is_causal',
    'the model attends to positions before alone, by scaled_dot_product_attention, which is the default of transformers; this encoder attends both ways'
  ]),
  [
    { model_type: 'llama', architectures: ['LlamaModel'] },
    'architectures',
    'LlamaModel gives the hidden states; this decoder gives logits, by the weights of the embedding'
  ],
  [
    { model_type: 'gpt2', architectures: ['GPT2ForSequenceClassification'] },
    'architectures',
    'GPT2ForSequenceClassification has another head, which is not sized; this decoder gives logits, by the weights of the embedding'
  ],
  [
    { model_type: 'llama', dtype: 'float8_e4m3fn' },
    'dtype',
    'the weights are in float8_e4m3fn; attnscope has float32, float16, bfloat16: they are sized in bfloat16'
  ],
  [
    { model_type: 'bert', torch_dtype: 'float64' },
    'torch_dtype',
    'the weights are in float64; attnscope has float32, float16, bfloat16: they are sized in float32'
  ],
  ...[
    [{ quant_method: 'fp8' }, 'fp8', 8],
    [{ quant_method: 'gptq', bits: 4 }, 'gptq', 4],
    [{ quant_method: 'bitsandbytes', load_in_4bit: true, load_in_8bit: false }, 'bitsandbytes', 4],
    [{ quant_method: 'modelopt', quant_algo: 'NVFP4' }, 'modelopt', 4],
    [
      { quant_method: 'compressed-tensors', config_groups: { group_0: { weights: { num_bits: 8 } } } },
      'compressed-tensors',
      8
    ]
  ].map(([quantization_config, method, bits]) => [
    { model_type: 'llama', quantization_config },
    'quantization_config',
    `the file keeps most weights quantized (${method}): ${bits} bits each and their scales, ${bits} / 16 of what 16 bits take; attnscope sizes and computes them in dtype, as they were before`
  ]),
  [
    { model_type: 'llama', quantization_config: { quant_method: 'toString' } },
    'quantization_config',
    'the file keeps most weights quantized (toString); attnscope sizes and computes them in dtype, as they were before'
  ],
  [
    { model_type: 'mistral', num_hidden_layers: 1, layer_types: ['full_attention'] },
    'layer_types',
    'transformers keeps every position of the layers of full attention in its KV cache, though they too attend to the window alone; here no cache is longer than the window'
  ],
  [{ model_type: 'llama', sliding_window: 4 }, 'sliding_window', OTHER_CACHE],
  [{ model_type: 'llama', layer_types: ['sliding_attention'] }, 'layer_types', OTHER_CACHE],
  [{ model_type: 'gpt2', attention_chunk_size: 4 }, 'attention_chunk_size', OTHER_CACHE],
  ...['mistral', 'qwen2', 'gemma3_text', 'phi3', 'smollm3'].map((model_type) => [
    { model_type, ...PLAIN[model_type], num_kv_shared_layers: 1 },
    'num_kv_shared_layers',
    OTHER_CACHE
  ]),
  [
    { model_type: 'qwen3', use_sliding_window: true, max_window_layers: 5 },
    'max_window_layers',
    'the model attends to a window alone in some layers; this decoder attends to everything in all of them'
  ]
]) {
  test(`${file.model_type} says of ${key} that it is not the model's`, () => {
    assert.equal(row(file, key).differs, differs);
    assert.deepEqual(
      fromHuggingFace(file)
        .keys.filter((one) => one.differs)
        .map((one) => one.key),
      [key]
    );
    const plain = Object.fromEntries(Object.entries(file).filter(([name]) => name !== key));
    assert.deepEqual(
      fromHuggingFace(plain).keys.filter((one) => one.differs).length,
      key === 'max_window_layers' ? 1 : 0
    );
  });
}

test('Gemma 3 attends both ways by is_causal of its text_config alone', () => {
  const file = { model_type: 'gemma3', is_causal: false, text_config: { is_causal: false } };
  assert.equal(row(file, 'text_config.is_causal').differs, BOTH_WAYS);
  assert.deepEqual(row(file, 'is_causal'), {
    key: 'is_causal',
    value: false,
    use: 'ignored',
    fields: [],
    note: 'that of text_config decides'
  });
});

// What a family does that the decoder here does not.
const YARN = 'rope_type "yarn" turns positions by other angles than rope_theta gives, which are those here';
const SOME_TURNED =
  'some layers have no positions, in an order that nope_every cannot say; this decoder turns queries and keys in all';
for (const [file, differing] of [
  [{ model_type: 'phi3', partial_rotary_factor: 0.5 }, {}],
  [
    { model_type: 'phi3', partial_rotary_factor: 0.25, rope_scaling: { type: 'longrope', partial_rotary_factor: 0.5 } },
    { rope_scaling: 'rope_type "longrope" turns positions by other angles than rope_theta gives, which are those here' }
  ],
  [{ model_type: 'phi3', partial_rotary_factor: 0.5, rope_parameters: { partial_rotary_factor: 1 } }, {}],
  [{ model_type: 'olmo3', rope_scaling: { rope_type: 'yarn' } }, { rope_scaling: YARN }],
  [
    { model_type: 'helium', hidden_size: 64 },
    {
      head_dim:
        'the output projection of the model takes hidden_size features, which are not those of all heads: it cannot run'
    }
  ],
  [{ model_type: 'smollm3' }, {}],
  [{ model_type: 'smollm3', num_hidden_layers: 2, no_rope_layers: [0, 1] }, { no_rope_layers: SOME_TURNED }],
  [{ model_type: 'smollm3', num_hidden_layers: 2, no_rope_layers: [1, 0] }, {}],
  [{ model_type: 'smollm3', num_hidden_layers: 2, no_rope_layers: [1, 1] }, {}],
  [{ model_type: 'smollm3', num_hidden_layers: 2, no_rope_layers: [0, 0] }, {}],
  [{ model_type: 'smollm3', no_rope_layer_interval: 1 }, {}],
  [{ model_type: 'smollm3', no_rope_layer_interval: 37 }, {}],
  [{ model_type: 'ministral3' }, { rope_parameters: YARN }],
  [
    { model_type: 'ministral3', rope_parameters: { rope_theta: 5, llama_4_scaling_beta: 0.1 } },
    {
      rope_parameters:
        'queries are multiplied by a factor that grows past original_max_position_embeddings, which is 1 here'
    }
  ],
  [{ model_type: 'ministral3', rope_parameters: { rope_theta: 5, llama_4_scaling_beta: 0 } }, {}],
  [{ model_type: 'qwen2_vl', rope_scaling: { type: 'mrope', mrope_section: [16, 24, 24] } }, {}],
  [{ model_type: 'qwen2_vl', rope_scaling: { type: 'yarn' } }, { rope_scaling: YARN }],
  [{ model_type: 'mistral3', text_config: { is_causal: false } }, { 'text_config.is_causal': BOTH_WAYS }],
  [{ model_type: 'mistral3', is_causal: false, text_config: { is_causal: true } }, { is_causal: BOTH_WAYS }],
  [{ model_type: 'mistral3', is_causal: true, text_config: { is_causal: false } }, {}],
  [{ model_type: 'qwen3_vl', is_causal: false, text_config: {} }, {}],
  [{ model_type: 'gemma', use_bidirectional_attention: true }, { use_bidirectional_attention: BOTH_WAYS }]
]) {
  test(`${JSON.stringify(file)} differs by ${Object.keys(differing).join(' and ') || 'nothing'}`, () => {
    const found = fromHuggingFace(file).keys.filter((one) => one.differs);
    assert.deepEqual(Object.fromEntries(found.map((one) => [one.key, one.differs])), differing);
  });
}

test('a part of a head that no pairs fill is refused: by its key, or by the core', async () => {
  assert.throws(() => fromHuggingFace({ model_type: 'glm', partial_rotary_factor: 2 }), {
    message: 'partial_rotary_factor must be a number above 0, at most 1, got 2'
  });
  const scope = await open({ threads: 1 });
  const odd = fromHuggingFace({ model_type: 'phi3', head_dim: 10, partial_rotary_factor: 0.5 }).config;
  assert.throws(() => scope.estimate(odd), { message: 'rotary_dim must be even where position is rope, got 5' });
  scope.dispose();
});

test('a type whose class is that of another one is read as it', () => {
  for (const [model_type, other] of [
    ['kimi_k2', 'deepseek_v3'],
    ['gpt-sw3', 'gpt2']
  ])
    assert.deepEqual(
      fromHuggingFace({ model_type, hidden_size: 64 }).config,
      fromHuggingFace({ model_type: other, hidden_size: 64 }).config
    );
});

test('a value by which a model computes what attnscope computes is not said to differ', () => {
  for (const file of [
    { model_type: 'bert', is_decoder: false },
    { model_type: 'llama', rope_scaling: null },
    { model_type: 'llama', rope_scaling: { rope_type: 'default' } },
    { model_type: 'llama', rope_parameters: { rope_theta: 5 } },
    { model_type: 'qwen2', max_window_layers: 5 },
    { model_type: 'gemma2', use_bidirectional_attention: null },
    { model_type: 'llama', is_causal: true },
    { model_type: 'bert', is_causal: false },
    { model_type: 'llama', architectures: ['LlamaForCausalLM'] },
    { model_type: 'gpt2', architectures: ['GPT2LMHeadModel'] },
    { model_type: 'gpt2', architectures: ['GPT2DoubleHeadsModel'] },
    { model_type: 'gemma3', is_causal: false, architectures: ['Gemma3ForConditionalGeneration'] },
    { model_type: 'llama', architectures: null },
    { model_type: 'llama', architectures: [] },
    { model_type: 'bert', architectures: ['BertModel'] },
    { model_type: 'gemma3', dtype: 'bfloat16', text_config: { dtype: 'float8_e4m3fn' } },
    { model_type: 'llama', dtype: 'bfloat16', torch_dtype: 'float64' },
    { model_type: 'llama', quantization_config: null },
    { model_type: 'llama', sliding_window: 4, layer_types: ['full_attention'] },
    { model_type: 'mistral', sliding_window: null, num_hidden_layers: 1, layer_types: ['full_attention'] },
    { model_type: 'mistral', num_hidden_layers: 1, layer_types: ['sliding_attention'] }
  ])
    assert.deepEqual(
      fromHuggingFace(file).keys.filter((one) => one.differs),
      [],
      JSON.stringify(file)
    );
});

/** Configs that a file makes, in part. */
const cases = {
  'head_dim need not be hidden_size / num_attention_heads': [
    [
      { model_type: 'mistral', hidden_size: 5120, num_attention_heads: 32, head_dim: 128 },
      { hidden_size: 5120, num_heads: 32, head_dim: 128 }
    ],
    [{ model_type: 'llama', hidden_size: 64, num_attention_heads: 4, head_dim: 24 }, { head_dim: 24 }],
    [{ model_type: 'qwen2', head_dim: 64 }, { head_dim: 64 }],
    [{ model_type: 'mistral', head_dim: null }, { head_dim: null }]
  ],
  'biases are those of the family and of its keys': [
    [{ model_type: 'qwen2' }, { bias: true, output_bias: false, mlp_bias: false }],
    [
      { model_type: 'qwen3', attention_bias: true },
      { bias: true, output_bias: true, mlp_bias: false }
    ],
    [
      { model_type: 'llama', mlp_bias: true },
      { bias: false, output_bias: false, mlp_bias: true }
    ],
    [{ model_type: 'gpt2' }, { bias: true, output_bias: true, mlp_bias: true }],
    [{ model_type: 'deepseek_v3', attention_bias: true }, { bias: true }]
  ],
  'the width of the MLP of GPT-2 is n_inner, or 4 n_embd': [
    [
      { model_type: 'gpt2', n_embd: 10, n_inner: null },
      { hidden_size: 10, intermediate_size: 40 }
    ],
    [{ model_type: 'gpt2', n_embd: 10, n_inner: 7 }, { intermediate_size: 7 }]
  ],
  'the other spellings that a class takes are read': [
    [
      { model_type: 'gpt2', hidden_size: 10, num_hidden_layers: 2, num_attention_heads: 5, max_position_embeddings: 9 },
      { hidden_size: 10, num_layers: 2, num_heads: 5, max_positions: 9, intermediate_size: 40 }
    ],
    [
      { model_type: 'distilbert', hidden_size: 10, num_hidden_layers: 2, num_attention_heads: 5 },
      { hidden_size: 10, num_layers: 2, num_heads: 5 }
    ],
    [{ model_type: 'gpt2', hidden_size: 10, n_embd: 20 }, { hidden_size: 20 }]
  ],
  'activations have one name each': [
    [{ model_type: 'bert', hidden_act: 'gelu_new' }, { activation: 'gelu_tanh' }],
    [{ model_type: 'llama', hidden_act: 'swish' }, { activation: 'silu' }],
    [{ model_type: 'gemma2', hidden_act: 'relu', hidden_activation: 'gelu_pytorch_tanh' }, { activation: 'gelu_tanh' }]
  ],
  'scores have the scale of the family': [
    [{ model_type: 'gemma3_text', query_pre_attn_scalar: 64 }, { scale: 0.125 }],
    [{ model_type: 'gpt2', scale_attn_weights: false }, { scale: 1 }]
  ],
  'the base of the rotation stands at the top, in rope_parameters, or there for each type of layer': [
    [{ model_type: 'llama', rope_theta: 5e5 }, { rope_theta: 5e5 }],
    [
      { model_type: 'llama', rope_theta: 5e5, rope_parameters: { rope_theta: 7, rope_type: 'yarn' } },
      { rope_theta: 7 }
    ],
    [{ model_type: 'llama', rope_theta: 5e5, rope_parameters: { rope_type: 'default' } }, { rope_theta: 5e5 }],
    [{ model_type: 'llama', rope_parameters: null }, { rope_theta: 1e4 }],
    [{ model_type: 'llama', rope_theta: null, rope_parameters: { rope_theta: 7 } }, { rope_theta: 7 }],
    [
      {
        model_type: 'gemma3_text',
        rope_theta: null,
        rope_parameters: { full_attention: { rope_theta: 8 }, sliding_attention: { rope_theta: 9 } }
      },
      { rope_theta: 8, rope_local_base_freq: 9 }
    ],
    [
      {
        model_type: 'llama',
        rope_theta: 5e5,
        rope_scaling: { rope_theta: 3, rope_type: 'yarn' },
        rope_parameters: { rope_theta: 7 }
      },
      { rope_theta: 3 }
    ],
    [
      { model_type: 'llama', rope_theta: 5e5, rope_scaling: { rope_type: 'yarn' }, rope_parameters: { rope_theta: 7 } },
      { rope_theta: 5e5 }
    ],
    [
      {
        model_type: 'gemma3_text',
        rope_parameters: { full_attention: { rope_theta: 8 }, sliding_attention: { rope_theta: 9 }, rope_theta: null }
      },
      { rope_theta: 8, rope_local_base_freq: 9 }
    ],
    [
      { model_type: 'gemma3_text', rope_theta: 8, rope_local_base_freq: 9 },
      { rope_theta: 8, rope_local_base_freq: 9 }
    ],
    [
      {
        model_type: 'gemma3_text',
        rope_local_base_freq: 7,
        rope_parameters: { full_attention: { rope_theta: 8 }, sliding_attention: { rope_theta: 9 } }
      },
      { rope_theta: 8, rope_local_base_freq: 9 }
    ],
    [
      { model_type: 'gemma3_text', rope_local_base_freq: 9, sliding_window_pattern: 1 },
      { rope_theta: 1e6, rope_local_base_freq: null }
    ]
  ],
  'the first token of RoBERTa stands after the padding token': [
    [{ model_type: 'roberta' }, { position_offset: 2, max_positions: 512 }],
    [
      { model_type: 'xlm-roberta', pad_token_id: 0, max_position_embeddings: 514 },
      { position_offset: 1, max_positions: 514 }
    ],
    [{ model_type: 'bert', pad_token_id: 5 }, { position_offset: undefined }]
  ],
  'the padding token is that of the models whose classes have one': [
    [{ model_type: 'bert', pad_token_id: 5 }, { padding_idx: 5 }],
    [{ model_type: 'bert', pad_token_id: null }, { padding_idx: null }],
    [
      { model_type: 'roberta', pad_token_id: 3 },
      { padding_idx: 3, position_offset: 4 }
    ],
    [{ model_type: 'llama', pad_token_id: 0 }, { padding_idx: 0 }],
    [{ model_type: 'llama', pad_token_id: -1, vocab_size: 32000 }, { padding_idx: 31999 }],
    [{ model_type: 'gemma3', pad_token_id: 9, text_config: {} }, { padding_idx: 0 }],
    [{ model_type: 'gemma3', text_config: { pad_token_id: 9 } }, { padding_idx: 9 }],
    [{ model_type: 'gpt2', pad_token_id: 50256 }, { padding_idx: undefined }]
  ],
  'Gemma multiplies its embeddings by the root of their width, and keeps scores and logits within bounds': [
    [
      { model_type: 'gemma2', hidden_size: 64, attn_logit_softcapping: null, final_logit_softcapping: 20 },
      {
        hidden_size: 64,
        embedding_scale: 8,
        attn_logit_softcapping: null,
        final_logit_softcapping: 20,
        norm: 'rms_norm_plus_one'
      }
    ],
    [
      { model_type: 'gemma3_text', attn_logit_softcapping: 20, final_logit_softcapping: 20 },
      { attn_logit_softcapping: undefined, final_logit_softcapping: 20 }
    ],
    [{ model_type: 'gemma3', text_config: { final_logit_softcapping: 20 } }, { final_logit_softcapping: undefined }]
  ],
  'latent attention turns neighbours or halves': [
    [{ model_type: 'deepseek_v3', rope_interleave: false }, { rope_interleave: false }]
  ],
  'the number format is that of the file': [
    [{ model_type: 'llama', torch_dtype: 'bfloat16' }, { dtype: 'bfloat16' }],
    [{ model_type: 'llama', torch_dtype: 'bfloat16', dtype: 'float16' }, { dtype: 'float16' }],
    [{ model_type: 'llama', torch_dtype: 'float64' }, { dtype: undefined }],
    [{ model_type: 'llama', dtype: 'float8_e4m3fn' }, { dtype: 'bfloat16' }],
    [{ model_type: 'gemma3', text_config: { dtype: 'bfloat16' } }, { dtype: 'bfloat16' }],
    [{ model_type: 'gemma3', torch_dtype: 'float16', text_config: { torch_dtype: 'bfloat16' } }, { dtype: 'float16' }]
  ],
  'the window of Mistral is that of every layer': [
    [
      { model_type: 'mistral', sliding_window: 128 },
      { window: 128, full_every: undefined }
    ],
    [{ model_type: 'mistral', sliding_window: null }, { window: null }]
  ],
  'Qwen has a window where use_sliding_window is true, after its first max_window_layers': [
    [
      { model_type: 'qwen2', sliding_window: 128, max_window_layers: 0 },
      { window: null, full_every: null }
    ],
    [
      { model_type: 'qwen2', use_sliding_window: true, sliding_window: 128, max_window_layers: 0 },
      { window: 128, full_every: null }
    ],
    [
      { model_type: 'qwen2', use_sliding_window: true, sliding_window: 128, max_window_layers: 32 },
      { window: null, full_every: null }
    ],
    [
      { model_type: 'qwen3', use_sliding_window: true, sliding_window: 128, max_window_layers: 5 },
      { window: null, full_every: null }
    ],
    [
      {
        model_type: 'qwen3',
        use_sliding_window: true,
        sliding_window: 128,
        num_hidden_layers: 2,
        layer_types: ['sliding_attention', 'full_attention']
      },
      { window: 128, full_every: 2 }
    ]
  ],
  'Gemma lets every n-th layer attend to everything': [
    [
      { model_type: 'gemma2', sliding_window: null },
      { window: null, full_every: null }
    ],
    [
      { model_type: 'gemma3_text', sliding_window: 512, sliding_window_pattern: 4 },
      { window: 512, full_every: 4 }
    ],
    [
      { model_type: 'gemma3_text', sliding_window_pattern: 1 },
      { window: null, full_every: null }
    ],
    [
      { model_type: 'gemma3_text', sliding_window_pattern: 27 },
      { window: 4096, full_every: null }
    ],
    [
      {
        model_type: 'gemma3_text',
        num_hidden_layers: 3,
        layer_types: ['sliding_attention', 'sliding_attention', 'sliding_attention']
      },
      { window: 4096, full_every: null }
    ]
  ],
  'a window of n positions is one of n // 2 + 1 on either side where Gemma 3 attends both ways': [
    [{ model_type: 'gemma3_text', sliding_window: 512, use_bidirectional_attention: true }, { window: 257 }],
    [{ model_type: 'gemma3_text', sliding_window: 9, use_bidirectional_attention: true }, { window: 5 }],
    [{ model_type: 'gemma3_text', sliding_window: 512, use_bidirectional_attention: false }, { window: 512 }],
    [{ model_type: 'gemma3_text', sliding_window: null, use_bidirectional_attention: true }, { window: null }],
    [{ model_type: 'gemma2', sliding_window: 512, use_bidirectional_attention: true }, { window: 512 }]
  ],
  'layers without positions are each n-th, as the file says it': [
    [{ model_type: 'smollm3' }, { nope_every: 4, window: null }],
    [{ model_type: 'smollm3', no_rope_layer_interval: 1 }, { nope_every: 1 }],
    [{ model_type: 'smollm3', no_rope_layer_interval: 37 }, { nope_every: null }],
    [{ model_type: 'smollm3', num_hidden_layers: 5, no_rope_layers: [1, 0, 1, 0, 1] }, { nope_every: 2 }],
    [{ model_type: 'smollm3', num_hidden_layers: 2, no_rope_layers: [0, 0] }, { nope_every: 1 }],
    [{ model_type: 'smollm3', num_hidden_layers: 2, no_rope_layers: [1, 1] }, { nope_every: null }],
    [{ model_type: 'smollm3', num_hidden_layers: 2, no_rope_layers: [0, 1] }, { nope_every: null }],
    [{ model_type: 'smollm3', no_rope_layers: null, no_rope_layer_interval: 2 }, { nope_every: 2 }],
    [
      { model_type: 'smollm3', use_sliding_window: true, sliding_window: 8, no_rope_layer_interval: 1 },
      { window: 8, full_every: null }
    ],
    [{ model_type: 'smollm3', use_sliding_window: true, sliding_window: 8 }, { window: null }],
    [{ model_type: 'exaone4' }, { nope_every: 4, window: 4096, full_every: 4 }],
    [
      { model_type: 'exaone4', num_hidden_layers: 3 },
      { nope_every: null, window: 4096 }
    ],
    [
      { model_type: 'exaone4', num_hidden_layers: 2, layer_types: ['sliding_attention', 'full_attention'] },
      { nope_every: 2, window: 4096, full_every: 2 }
    ],
    [
      { model_type: 'exaone4', num_hidden_layers: 1, layer_types: ['full_attention'] },
      { nope_every: 1, window: null }
    ],
    [
      { model_type: 'exaone4', sliding_window: null },
      { nope_every: null, window: null, full_every: null }
    ],
    [
      {
        model_type: 'exaone4',
        num_hidden_layers: 4,
        sliding_window_pattern: 'LLLG',
        layer_types: [...Array(3).fill('sliding_attention'), 'full_attention']
      },
      { nope_every: 4, window: 4096, full_every: 4 }
    ],
    [
      {
        model_type: 'exaone4',
        num_hidden_layers: 2,
        sliding_window: null,
        sliding_window_pattern: 0,
        layer_types: Array(2).fill('full_attention')
      },
      { nope_every: null, window: null, full_every: null }
    ]
  ],
  'the part of each head that positions turn is read where transformers reads it': [
    [{ model_type: 'phi3' }, { rotary_dim: null }],
    [{ model_type: 'phi3', partial_rotary_factor: 0.5 }, { rotary_dim: 48 }],
    [{ model_type: 'phi3', num_attention_heads: 24, partial_rotary_factor: 0.75 }, { rotary_dim: 96 }],
    [{ model_type: 'phi3', head_dim: 10, partial_rotary_factor: 0.45 }, { rotary_dim: 4 }],
    [{ model_type: 'phi3', rope_parameters: { rope_theta: 5, partial_rotary_factor: 0.25 } }, { rotary_dim: 24 }],
    [
      { model_type: 'phi3', partial_rotary_factor: 0.5, rope_parameters: { partial_rotary_factor: 1 } },
      { rotary_dim: null }
    ],
    [
      { model_type: 'phi3', partial_rotary_factor: 0.5, rope_scaling: { partial_rotary_factor: 0.25 } },
      { rotary_dim: 24 }
    ],
    [{ model_type: 'stablelm' }, { rotary_dim: 20 }],
    [{ model_type: 'stablelm', partial_rotary_factor: 1 }, { rotary_dim: null }],
    [{ model_type: 'glm', head_dim: 64, partial_rotary_factor: 0.25 }, { rotary_dim: 16 }]
  ],
  'factors are those of the file, and none where it says 1': [
    [
      { model_type: 'granite', embedding_multiplier: 12, residual_multiplier: 0.22, logits_scaling: 16 },
      { embedding_scale: 12, residual_scale: 0.22, logit_scale: 1 / 16 }
    ],
    [
      { model_type: 'granite', logits_scaling: 1 },
      { embedding_scale: null, residual_scale: null, logit_scale: null }
    ],
    [
      { model_type: 'hyperclovax', logits_scaling: 0.125 },
      { logit_scale: 0.125, scale: null, post_norms: true }
    ],
    [
      { model_type: 'hyperclovax', attention_multiplier: 0.5, use_post_norm: false },
      { scale: 0.5, post_norms: false }
    ]
  ],
  'Ministral 3 has the base of its own yarn unless rope_parameters say another': [
    [{ model_type: 'ministral3', rope_theta: 5 }, { rope_theta: 1e6 }],
    [{ model_type: 'ministral3', rope_parameters: null }, { rope_theta: 1e6 }],
    [{ model_type: 'ministral3', rope_theta: 5, rope_parameters: { rope_type: 'yarn' } }, { rope_theta: 5 }],
    [{ model_type: 'ministral3', rope_parameters: { rope_theta: 7 } }, { rope_theta: 7 }],
    [{ model_type: 'ministral3', rope_scaling: { rope_theta: 3 } }, { rope_theta: 3 }]
  ],
  'older files of Qwen2-VL have the keys of the text beside those of the whole': [
    [
      { model_type: 'qwen2_vl', hidden_size: 1536, tie_word_embeddings: true, vision_config: { hidden_size: 7 } },
      { hidden_size: 1536, tie_embeddings: true }
    ],
    [
      { model_type: 'qwen2_5_vl', hidden_size: 1536, text_config: { hidden_size: 64 } },
      { hidden_size: 64, tie_embeddings: false }
    ]
  ],
  'the text of Mistral 3 is of the type that it says, of Mistral where it says none': [
    [
      { model_type: 'mistral3', text_config: {} },
      { vocab_size: 32000, window: 4096 }
    ],
    [
      { model_type: 'mistral3', text_config: { model_type: 'mistral' } },
      { vocab_size: 32000, window: 4096 }
    ],
    [
      { model_type: 'mistral3', text_config: { model_type: 'ministral3' } },
      { vocab_size: 131072, window: null }
    ]
  ],
  'a class without a head over the vocabulary has no parameters of one': [
    [{ model_type: 'llama', architectures: ['LlamaModel'] }, { tie_embeddings: true }],
    [{ model_type: 'qwen2', architectures: ['Qwen2ForSequenceClassification'] }, { tie_embeddings: true }],
    [{ model_type: 'gemma3', tie_word_embeddings: false, architectures: ['Gemma3Model'] }, { tie_embeddings: true }],
    [{ model_type: 'llama', architectures: ['LlamaForCausalLM'] }, { tie_embeddings: false }]
  ],
  'a model of images and text is sized as its text decoder, tied as the whole': [
    [
      {
        model_type: 'gemma3',
        torch_dtype: 'bfloat16',
        text_config: { hidden_size: 2560, rope_scaling: { factor: 8, rope_type: 'linear' } }
      },
      { hidden_size: 2560, dtype: 'bfloat16', tie_embeddings: true }
    ],
    [
      { model_type: 'gemma3', tie_word_embeddings: false, text_config: { tie_word_embeddings: true } },
      { tie_embeddings: false }
    ]
  ]
};
for (const [claim, pairs] of Object.entries(cases)) {
  test(claim, () => {
    for (const [file, expected] of pairs) {
      const { config } = fromHuggingFace(file);
      const got = Object.fromEntries(Object.keys(expected).map((field) => [field, config[field]]));
      assert.deepEqual(got, expected, JSON.stringify(file));
    }
  });
}

const UNSEEN = 'the model attends to a window alone in some layers; this decoder attends to everything in all of them';
const IRREGULAR =
  'full_every cannot say which layers have the window: all are sized as attending to everything, so the KV cache is an upper bound';

test('a pattern of windows that has no field is said to be one, and so is the window that it leaves out', () => {
  const types = ['full_attention', 'sliding_attention', 'sliding_attention'];
  const gemma = { model_type: 'gemma3_text', num_hidden_layers: 3, layer_types: types, sliding_window: 512 };
  assert.deepEqual(row(gemma, 'layer_types'), {
    key: 'layer_types',
    value: types,
    use: 'used',
    fields: ['window', 'full_every'],
    note: IRREGULAR,
    differs: UNSEEN
  });
  assert.deepEqual(row(gemma, 'sliding_window'), {
    key: 'sliding_window',
    value: 512,
    use: 'ignored',
    fields: [],
    note: 'no layer is sized with a window'
  });
  assert.equal(
    row({ model_type: 'qwen2', use_sliding_window: true, max_window_layers: 5 }, 'max_window_layers').note,
    IRREGULAR
  );
  assert.equal(
    row({ model_type: 'qwen2', use_sliding_window: true, max_window_layers: 32 }, 'max_window_layers').note,
    undefined
  );
});

test('of two keys for one thing, the one that counts is named in the note of the other', () => {
  const note = (file, key) => [row(file, key).use, row(file, key).note];
  assert.deepEqual(note({ model_type: 'llama', rope_theta: 1, rope_parameters: { rope_theta: 2 } }, 'rope_theta'), [
    'ignored',
    'rope_parameters holds it'
  ]);
  assert.deepEqual(note({ model_type: 'gpt2', n_embd: 1, hidden_size: 2 }, 'hidden_size'), [
    'ignored',
    'n_embd decides'
  ]);
  assert.deepEqual(
    note({ model_type: 'gemma3', text_config: { tie_word_embeddings: false } }, 'text_config.tie_word_embeddings'),
    ['ignored', 'tie_word_embeddings decides']
  );
  assert.deepEqual(
    note(
      { model_type: 'gemma3_text', sliding_window_pattern: 3, num_hidden_layers: 1, layer_types: ['full_attention'] },
      'sliding_window_pattern'
    ),
    ['ignored', 'layer_types decides']
  );
});

test('an empty text_config, or none, leaves every default', () => {
  for (const file of [
    { model_type: 'gemma3' },
    { model_type: 'gemma3', text_config: {} },
    { model_type: 'gemma3', text_config: null }
  ]) {
    const { config, keys } = fromHuggingFace(file);
    assert.deepEqual(config, gemma3);
    assert.equal(keys.filter(({ key }) => key === 'text_config').length, Number('text_config' in file));
  }
});

const known =
  'bert, distilbert, roberta, xlm-roberta, gpt2, llama, mistral, qwen2, qwen3, gemma, gemma2, gemma3_text, gemma3, arcee, jais2, nemotron, phi3, granite, hyperclovax, smollm3, stablelm, starcoder2, seed_oss, ministral, ministral3, qwen2_vl, qwen2_5_vl, qwen3_vl, mistral3, glm, glm4, helium, ernie4_5, olmo2, olmo3, exaone4, hunyuan_v1_dense, deepseek_v2, deepseek_v3';
for (const [file, field, message] of [
  [null, '', 'config.json must hold an object, got null'],
  [[], '', 'config.json must hold an object, got an array'],
  ['{}', '', 'config.json must hold an object, got "{}"'],
  [new Map(), '', 'config.json must hold an object, got an object'],
  [{}, 'model_type', `model_type must be one of ${known}; the file has none`],
  [{ model_type: 7 }, 'model_type', `model_type must be one of ${known}, got 7`],
  [{ model_type: 'gema2' }, 'model_type', `model_type must be one of ${known}, got "gema2", did you mean gemma2?`],
  [{ model_type: 'lama' }, 'model_type', `model_type must be one of ${known}, got "lama", did you mean llama?`],
  ...['stable-diffusion', 'toString', 'qwen', 'qwen7', 'gemma_5', 'ministral4', 'chatglm'].map((model_type) => [
    { model_type },
    'model_type',
    `model_type must be one of ${known}, got "${model_type}", which transformers 5.12.1 does not have either`
  ]),
  [
    { model_type: 'llama', text_config: { hidden_size: 64 } },
    'text_config',
    'text_config must be absent, because a llama model has none; where it holds the model, it is read where it is given alone'
  ],
  [
    { model_type: 'llama', rope_theta: null },
    'rope_theta',
    'rope_theta must be a positive number, or null beside rope_parameters that hold it, got null'
  ],
  [
    { model_type: 'llama', rope_theta: null, rope_scaling: { rope_type: 'yarn' }, rope_parameters: { rope_theta: 5 } },
    'rope_theta',
    'rope_theta must be a positive number, or null beside rope_parameters that hold it, got null'
  ],
  [{ model_type: 'llama', is_causal: null }, 'is_causal', 'is_causal must be true or false, got null'],
  [
    { model_type: 'gemma3_text', use_bidirectional_attention: 'vision' },
    'use_bidirectional_attention',
    'use_bidirectional_attention must be true or false, or null, got "vision"'
  ],
  [
    { model_type: 'llama', architectures: 'LlamaModel' },
    'architectures',
    'architectures must be a list of names, or null, got "LlamaModel"'
  ],
  [
    { model_type: 'mistral', layer_types: ['full_attention'] },
    'layer_types',
    'layer_types must be a list of full_attention and sliding_attention, one for each of num_hidden_layers, got an array'
  ],
  [{ model_type: 'llama', hidden_size: '768' }, 'hidden_size', 'hidden_size must be a positive integer, got "768"'],
  [{ model_type: 'llama', hidden_size: 0 }, 'hidden_size', 'hidden_size must be a positive integer, got 0'],
  [{ model_type: 'llama', hidden_size: null }, 'hidden_size', 'hidden_size must be a positive integer, got null'],
  [{ model_type: 'llama', hidden_size: 7.5 }, 'hidden_size', 'hidden_size must be a positive integer, got 7.5'],
  [{ model_type: 'gpt2', hidden_size: [] }, 'hidden_size', 'hidden_size must be a positive integer, got an array'],
  [{ model_type: 'llama', head_dim: -1 }, 'head_dim', 'head_dim must be a positive integer, or null, got -1'],
  [
    { model_type: 'bert', type_vocab_size: -1 },
    'type_vocab_size',
    'type_vocab_size must be an integer, 0 or more, got -1'
  ],
  [{ model_type: 'llama', attention_bias: 1 }, 'attention_bias', 'attention_bias must be true or false, got 1'],
  [{ model_type: 'llama', rms_norm_eps: '1e-6' }, 'rms_norm_eps', 'rms_norm_eps must be a positive number, got "1e-6"'],
  [{ model_type: 'llama', torch_dtype: 16 }, 'torch_dtype', 'torch_dtype must be a string, got 16'],
  [
    { model_type: 'llama', rope_parameters: { rope_theta: 'x' } },
    'rope_parameters',
    'rope_parameters must be an object whose rope_theta is a positive number, got an object'
  ],
  [
    { model_type: 'gemma3_text', rope_parameters: { sliding_attention: { rope_theta: 0 } } },
    'rope_parameters',
    'rope_parameters must be an object whose rope_theta is a positive number, got an object'
  ],
  [
    { model_type: 'llama', rope_scaling: 8 },
    'rope_scaling',
    'rope_scaling must be an object whose rope_theta is a positive number, or null, got 8'
  ],
  [
    { model_type: 'roberta', pad_token_id: null },
    'pad_token_id',
    'pad_token_id must be an integer from 0 to vocab_size - 1, got null'
  ],
  [
    { model_type: 'roberta', pad_token_id: 50265 },
    'pad_token_id',
    'pad_token_id must be an integer from 0 to vocab_size - 1, got 50265'
  ],
  [
    { model_type: 'llama', pad_token_id: 32000 },
    'pad_token_id',
    'pad_token_id must be an integer from -vocab_size to vocab_size - 1, or null, got 32000'
  ],
  [
    { model_type: 'exaone4', sliding_window_pattern: 'LLLG' },
    'sliding_window_pattern',
    'sliding_window_pattern must be a positive integer, or any beside layer_types, or null, got "LLLG"'
  ],
  [
    { model_type: 'llama', hidden_act: 'xielu' },
    'hidden_act',
    'hidden_act must be one of relu, gelu, gelu_python, gelu_new, gelu_pytorch_tanh, gelu_python_tanh, gelu_fast, gelu_accurate, silu, swish, relu2, got "xielu"'
  ],
  [
    { model_type: 'bert', position_embedding_type: 'relative_key' },
    'position_embedding_type',
    'position_embedding_type must be "absolute", because transformers 5 has no other, got "relative_key"'
  ],
  [
    { model_type: 'gpt2', add_cross_attention: true },
    'add_cross_attention',
    'add_cross_attention must be false, because cross-attention has parameters that this layer lacks, got true'
  ],
  [
    { model_type: 'gemma2', layer_types: ['full_attention'] },
    'layer_types',
    'layer_types must be a list of full_attention and sliding_attention, one for each of num_hidden_layers, got an array'
  ],
  [
    { model_type: 'gemma2', num_hidden_layers: 1, layer_types: ['chunked_attention'] },
    'layer_types',
    'layer_types must be a list of full_attention and sliding_attention, one for each of num_hidden_layers, got an array'
  ],
  [
    { model_type: 'mistral3', text_config: { model_type: 'qwen2' } },
    'text_config.model_type',
    'text_config.model_type must be one of mistral, ministral3, got "qwen2"'
  ],
  [
    { model_type: 'stablelm', qk_layernorm: true },
    'qk_layernorm',
    'qk_layernorm must be false, because the norm of queries and keys has parameters that this layer lacks, got true'
  ],
  [
    { model_type: 'stablelm', use_parallel_residual: true },
    'use_parallel_residual',
    'use_parallel_residual must be false, because attention and feed-forward network stand side by side in another block, got true'
  ],
  [
    { model_type: 'smollm3', num_hidden_layers: 2, no_rope_layers: [1] },
    'no_rope_layers',
    'no_rope_layers must be a list of 0 and 1, one for each of num_hidden_layers, or null, got an array'
  ],
  [{ model_type: 'gemma3', text_config: 5 }, 'text_config', 'text_config must be an object, got 5'],
  [
    { model_type: 'gemma3', text_config: { hidden_size: true } },
    'text_config.hidden_size',
    'text_config.hidden_size must be a positive integer, got true'
  ]
]) {
  test(`refused with: ${message}`, () =>
    assert.throws(() => fromHuggingFace(file), { name: 'RangeError', field, message }));
}

test('a file is data: no key of it reaches a prototype', () => {
  const file = JSON.parse(
    '{"model_type": "llama", "__proto__": {"hidden_size": 7}, "constructor": 1, "hasOwnProperty": 2}'
  );
  const { config, keys } = fromHuggingFace(file);
  assert.equal(config.hidden_size, 4096);
  assert.deepEqual(
    keys.slice(1, 4).map(({ key, use }) => [key, use]),
    [
      ['__proto__', 'ignored'],
      ['constructor', 'ignored'],
      ['hasOwnProperty', 'ignored']
    ]
  );
  assert.equal({}.hidden_size, undefined);
});

test('a number of layers past all memory is read in no time', () => {
  const { config } = fromHuggingFace({ model_type: 'gemma3_text', num_hidden_layers: 2 ** 52 });
  assert.deepEqual([config.num_layers, config.full_every], [2 ** 52, 6]);
});

test('a file says what its model is called, how long a text it is made for, and how much of it is sized', () => {
  const modelOf = (file) => fromHuggingFace(file).model;
  assert.deepEqual(modelOf(published['Llama-3-8B']), { name: 'Llama model', positions: 8192, layers: null });
  assert.deepEqual(modelOf({ ...published['Llama-3-8B'], _name_or_path: 'meta-llama/Meta-Llama-3-8B' }), {
    name: 'Meta-Llama-3-8B',
    positions: 8192,
    layers: null
  });
  assert.equal(modelOf({ model_type: 'llama', _name_or_path: './' }).name, 'Llama model');
  const named = (/** @type {object} */ file) => fromHuggingFace(file, { name: 'Llama-3.2-1B' }).model.name;
  assert.equal(named({ model_type: 'llama', _name_or_path: './' }), 'Llama-3.2-1B');
  assert.equal(named({ model_type: 'llama', _name_or_path: 'mine/Vicuna' }), 'Vicuna');
  const odd = /** @type {any} */ ([{ model_type: 'llama' }, { name: '' }]);
  assert.throws(() => fromHuggingFace(...odd), {
    name: 'RangeError',
    field: 'name',
    message: 'name must be a name, got ""'
  });
  assert.deepEqual(modelOf(published['GPT-2']), { name: 'GPT-2 model', positions: 1024, layers: null });
  assert.equal(modelOf(published['RoBERTa base']).positions, 512, 'two of 514 are of no position');
  assert.deepEqual(modelOf({ model_type: 'deepseek_v3', num_hidden_layers: 61, max_position_embeddings: 163840 }), {
    name: 'DeepSeek-V3 model',
    positions: 163840,
    layers: 61
  });
});

for (const [file, why] of [
  [{ model_type: 'mixtral' }, 'it has experts, of which each token passes through a few'],
  [{ model_type: 'qwen9_moe', num_experts: 128 }, 'it has experts, of which each token passes through a few'],
  [{ model_type: 't5' }, 'it is an encoder and a decoder'],
  [{ model_type: 'kart', is_encoder_decoder: true }, 'it is an encoder and a decoder'],
  [{ model_type: 'bart' }, 'it is an encoder and a decoder'],
  [{ model_type: 'mamba' }, 'it keeps a state in place of attention'],
  [{ model_type: 'gptj' }, 'attention and feed-forward network stand side by side in its block'],
  [{ model_type: 'falcon' }, 'it has another block'],
  [{ model_type: 'camembert' }, 'attnscope has its layers, but does not yet read'],
  [{ model_type: 'qwen3_next', num_experts: 512 }, 'some of its layers keep a state of one size'],
  [{ model_type: 'mllama' }, 'it reads images or video'],
  [{ model_type: 'vit' }, 'it reads images or video'],
  [{ model_type: 'wav2vec2' }, 'it reads or makes sound'],
  [{ model_type: 'qwen3_5_text' }, 'some of its layers keep a state of one size'],
  [
    { model_type: 'llava', text_config: { model_type: 'llama' } },
    'it reads images or video, alone or beside text, and attnscope sizes layers over text; the model of its text, text_config, is of type "llama", which is read where text_config is given alone'
  ],
  [
    { model_type: 'qwen3_5', text_config: { model_type: 'qwen3_5_text' } },
    'it reads images or video, alone or beside text, and attnscope sizes layers over text; the model of its text, text_config, is of type "qwen3_5_text", and some of its layers keep a state of one size'
  ],
  [
    { model_type: 'seeing', vision_config: {}, text_config: { model_type: 'deepseek_v3' } },
    'it reads images or video, alone or beside text, and attnscope sizes layers over text; the model of its text, text_config, is of type "deepseek_v3", which is read where text_config is given alone'
  ],
  [
    { model_type: 'qwen3_omni_moe', thinker_config: { text_config: { model_type: 'qwen3_omni_moe_text' } } },
    'it reads images or video, alone or beside text, and attnscope sizes layers over text; the model of its text, thinker_config.text_config, is of type "qwen3_omni_moe_text", and it has experts'
  ]
]) {
  test(`${JSON.stringify(file)} is refused because ${why}, without the name of another family`, () =>
    assert.throws(
      () => fromHuggingFace(file),
      ({ field, message }) =>
        field === 'model_type' &&
        message.startsWith(`model_type "${file.model_type}" is refused, because ${why}`) &&
        !message.includes('did you mean')
    ));
}

test('a file of Python has numbers that JSON lacks', () => {
  const text = String.raw`{"a": Infinity, "b": [-Infinity, NaN], "c": "NaN \" Infinity", "Infinity": 1, "d": "\\"}`;
  assert.deepEqual(parsePythonJson(text), {
    a: Infinity,
    b: [-Infinity, 'NaN'],
    c: 'NaN " Infinity',
    Infinity: 1,
    d: '\\'
  });
  assert.throws(() => parsePythonJson('{"a": Infinit}'), SyntaxError);
  const large = parsePythonJson(`{"a": 1e999, "b": [-${'9'.repeat(400)}, 12.5e-3, -0], "c": "1e999"}`);
  assert.deepEqual(large, { a: '1e999', b: [`-${'9'.repeat(23)}…`, 0.0125, -0], c: '1e999' });
  const file = parsePythonJson('{"model_type": "llama", "time_step_limit": [0, Infinity], "rope_theta": 5}');
  assert.equal(fromHuggingFace(file).config.rope_theta, 5);
});
