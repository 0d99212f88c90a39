// Encoders: BERT and its kin.

import {
  ACTIVATIONS,
  activationOf,
  common,
  count,
  defaults,
  ignored,
  key,
  number,
  only,
  padding,
  positive,
  size,
  unlike
} from './rules.js';

/**
 * @typedef {import('./rules.js').Family} Family
 * @typedef {import('./rules.js').Rules} Rules
 */

const activation = activationOf(ACTIVATIONS);

const encoder = { layer: 'encoder', norm_first: false, position: 'learned', bias: true };
export const CROSS = 'cross-attention has parameters that this layer lacks';
const CAUSAL =
  'the model attends to positions before alone, by scaled_dot_product_attention, which is the default of transformers; ' +
  'this encoder attends both ways';

/** @type {Rules} */
const bertKeys = {
  ...common,
  vocab_size: key(size, 30522, 'vocab_size'),
  hidden_size: key(size, 768, 'hidden_size'),
  num_hidden_layers: key(size, 12, 'num_layers'),
  num_attention_heads: key(size, 12, 'num_heads'),
  intermediate_size: key(size, 3072, 'intermediate_size'),
  hidden_act: activation('gelu'),
  hidden_dropout_prob: key(number, 0.1, 'dropout'),
  max_position_embeddings: key(size, 512, 'max_positions'),
  type_vocab_size: key(count, 2, 'type_vocab_size'),
  layer_norm_eps: key(positive, 1e-12, 'norm_eps'),
  pad_token_id: padding(0),
  position_embedding_type: only('absolute', 'transformers 5 has no other'),
  add_cross_attention: only(false, CROSS),
  ...ignored('hidden_dropout_prob is the one dropout', 'attention_probs_dropout_prob'),
  is_decoder: unlike('the model attends to positions before alone and has a KV cache; this encoder attends both ways'),
  is_causal: unlike(CAUSAL),
  ...ignored('of heads that the model does not have', 'classifier_dropout', 'tie_word_embeddings')
};

/** @type {Family} */
export const bert = {
  name: 'bert',
  title: 'BERT',
  configClass: 'BertConfig',
  model: 'BertModel, with its pooler',
  fixed: { ...encoder, pooler: true },
  keys: bertKeys
};

/** @type {Family} */
export const roberta = {
  name: 'roberta',
  title: 'RoBERTa',
  configClass: 'RobertaConfig',
  model: 'RobertaModel, with its pooler',
  fixed: bert.fixed,
  keys: {
    ...defaults(bertKeys, { vocab_size: 50265 }),
    max_position_embeddings: {
      ...bertKeys.max_position_embeddings,
      note: 'pad_token_id + 1 of them are of no position'
    },
    pad_token_id: {
      type: {
        words: 'an integer from 0 to vocab_size - 1',
        fits: (value, peek) => count.fits(value, peek) && value < peek('vocab_size')
      },
      fallback: 1,
      set: { padding_idx: (get) => get('pad_token_id'), position_offset: (get) => get('pad_token_id') + 1 },
      note: 'the first token stands at pad_token_id + 1, and every token counts: padding belongs at the end, behind a mask'
    }
  }
};

/** @type {Family} */
export const distilbert = {
  name: 'distilbert',
  title: 'DistilBERT',
  configClass: 'DistilBertConfig',
  model: 'DistilBertModel',
  fixed: { ...encoder, type_vocab_size: 0, pooler: false, norm_eps: 1e-12 },
  keys: {
    ...common,
    vocab_size: bertKeys.vocab_size,
    dim: { ...key(size, 768, 'hidden_size'), aliases: ['hidden_size'] },
    n_layers: { ...key(size, 6, 'num_layers'), aliases: ['num_hidden_layers'] },
    n_heads: { ...key(size, 12, 'num_heads'), aliases: ['num_attention_heads'] },
    hidden_dim: key(size, 3072, 'intermediate_size'),
    activation: activation('gelu'),
    dropout: key(number, 0.1, 'dropout'),
    pad_token_id: padding(0),
    max_position_embeddings: bertKeys.max_position_embeddings,
    is_causal: unlike(CAUSAL),
    ...ignored('dropout is the one dropout', 'attention_dropout'),
    ...ignored('the table of positions is there with either value', 'sinusoidal_pos_embds'),
    ...ignored('of heads that the model does not have', 'qa_dropout', 'seq_classif_dropout', 'tie_word_embeddings')
  }
};
