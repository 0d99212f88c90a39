// Architectures of Hugging Face that no layer here is, and why: a file of one is refused with its reason instead of the
// name of a family that is spelled like it.

/** @typedef {{ why: string, types: string[], fits?: (json: Record<string, unknown>) => boolean }} Refused */

/** @param {unknown} value */
const isMany = (value) => Number(value) > 1;

/** By what a file says of itself, and by `model_type`. @type {Refused[]} */
const REFUSED = [
  {
    why: 'it is an encoder and a decoder, and attnscope sizes one stack of layers',
    types: [
      't5',
      'mt5',
      'umt5',
      'longt5',
      'bart',
      'mbart',
      'pegasus',
      'marian',
      'm2m_100',
      'blenderbot',
      'led',
      'whisper'
    ],
    fits: ({ is_encoder_decoder }) => is_encoder_decoder === true
  },
  {
    why: 'it has experts, of which each token passes through a few, and the feed-forward block of every layer here is one for all tokens',
    types: [
      'mixtral',
      'qwen2_moe',
      'qwen3_moe',
      'qwen3_next',
      'olmoe',
      'phimoe',
      'granitemoe',
      'dbrx',
      'gpt_oss',
      'llama4',
      'llama4_text',
      'glm4_moe',
      'jamba'
    ],
    fits: ({ num_local_experts, num_experts, n_routed_experts }) =>
      [num_local_experts, num_experts, n_routed_experts].some(isMany)
  },
  {
    why: 'it keeps a state in place of attention, which attnscope does not have',
    types: ['mamba', 'mamba2', 'falcon_mamba', 'recurrent_gemma', 'rwkv']
  },
  {
    why: 'it is another architecture than those that attnscope has',
    types: [
      'gpt_neo',
      'gpt_neox',
      'gptj',
      'gpt_bigcode',
      'albert',
      'camembert',
      'electra',
      'deberta',
      'deberta-v2',
      'xlnet',
      'xlm',
      'mpnet',
      'modernbert',
      'opt',
      'bloom',
      'falcon',
      'phi',
      'phi3',
      'qwen',
      'qwen2_vl',
      'mistral3',
      'cohere',
      'olmo',
      'olmo2'
    ]
  }
];

/**
 * Why a file of a `model_type` that is not known here is refused; '' where nothing is known of it.
 * @param {string} type
 * @param {Record<string, unknown>} json
 */
export const whyRefused = (type, json) =>
  REFUSED.find(({ types, fits }) => types.includes(type) || fits?.(json))?.why ?? '';
