// Published models as their config.json says them, without what the importer does not read or has by default; no
// figures.

const bert = {
  model_type: 'bert',
  vocab_size: 30522,
  hidden_size: 768,
  num_hidden_layers: 12,
  num_attention_heads: 12,
  intermediate_size: 3072,
  max_position_embeddings: 512
};

/**
 * @type {{ name: string, file: Record<string, unknown>, usable?: number }[]} `usable`: positions, where the file says
 *   more
 */
export const published = [
  { name: 'BERT base', file: bert },
  {
    name: 'BERT large',
    file: { ...bert, hidden_size: 1024, num_hidden_layers: 24, num_attention_heads: 16, intermediate_size: 4096 }
  },
  {
    name: 'DistilBERT',
    file: {
      model_type: 'distilbert',
      vocab_size: 30522,
      dim: 768,
      n_layers: 6,
      n_heads: 12,
      hidden_dim: 3072,
      max_position_embeddings: 512
    }
  },
  {
    name: 'RoBERTa base',
    file: {
      ...bert,
      model_type: 'roberta',
      vocab_size: 50265,
      type_vocab_size: 1,
      layer_norm_eps: 1e-5,
      max_position_embeddings: 514
    },
    usable: 512
  },
  {
    name: 'GPT-2',
    file: { model_type: 'gpt2', vocab_size: 50257, n_embd: 768, n_layer: 12, n_head: 12, n_positions: 1024 }
  },
  {
    name: 'Llama-3-8B',
    file: {
      model_type: 'llama',
      vocab_size: 128256,
      hidden_size: 4096,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      intermediate_size: 14336,
      max_position_embeddings: 8192,
      rms_norm_eps: 1e-5,
      rope_theta: 500000,
      torch_dtype: 'bfloat16'
    }
  },
  {
    name: 'Mistral-7B',
    file: {
      model_type: 'mistral',
      vocab_size: 32000,
      hidden_size: 4096,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      intermediate_size: 14336,
      max_position_embeddings: 32768,
      rms_norm_eps: 1e-5,
      sliding_window: 4096,
      torch_dtype: 'bfloat16'
    }
  },
  {
    name: 'Qwen3-0.6B',
    file: {
      model_type: 'qwen3',
      vocab_size: 151936,
      hidden_size: 1024,
      num_hidden_layers: 28,
      num_attention_heads: 16,
      num_key_value_heads: 8,
      head_dim: 128,
      intermediate_size: 3072,
      max_position_embeddings: 40960,
      rope_theta: 1e6,
      tie_word_embeddings: true,
      torch_dtype: 'bfloat16'
    }
  },
  {
    name: 'Gemma-3-1B',
    file: {
      model_type: 'gemma3_text',
      vocab_size: 262144,
      hidden_size: 1152,
      num_hidden_layers: 26,
      num_attention_heads: 4,
      num_key_value_heads: 1,
      head_dim: 256,
      intermediate_size: 6912,
      max_position_embeddings: 32768,
      sliding_window: 512,
      rope_theta: 1e6,
      torch_dtype: 'bfloat16'
    }
  }
];
