// What the keys of a Hugging Face config.json mean, one table a family: type, default, and the fields that a key sets.
// Defaults are those of the configuration classes of transformers 5.12, which tests/torch holds against them. No code
// that reads a file: that is huggingface.js.

import { gemma1, gemma2, gemma3, gemma3Text, gpt2, llama, mistral, qwen2, qwen3 } from './families/decoders.js';
import { bert, distilbert, roberta } from './families/encoders.js';
import { kin } from './families/kin.js';
import { deepseekV2, deepseekV3 } from './families/latent.js';
import { neighbours } from './families/neighbours.js';
import { norms } from './families/norms.js';
import { defaults } from './families/rules.js';

/**
 * @typedef {import('./families/rules.js').Family} Family
 * @typedef {import('./families/rules.js').Rule} Rule
 */

/** By `model_type`. @type {Record<string, Family>} */
export const families = {
  bert,
  distilbert,
  roberta,
  'xlm-roberta': {
    ...roberta,
    title: 'XLM-RoBERTa',
    configClass: 'XLMRobertaConfig',
    model: 'XLMRobertaModel, with its pooler',
    keys: defaults(roberta.keys, { vocab_size: 30522 })
  },
  gpt2,
  llama,
  mistral,
  qwen2,
  qwen3,
  gemma: gemma1,
  gemma2,
  gemma3_text: gemma3Text,
  gemma3,
  ...kin,
  ...neighbours,
  ...norms,
  deepseek_v2: deepseekV2,
  deepseek_v3: deepseekV3
};

/** Types whose class is that of another one, by name. @type {Record<string, string>} */
export const sameClass = { 'gpt-sw3': 'gpt2', kimi_k2: 'deepseek_v3' };
