// Starting points: each is a complete configuration.

import { html, nothing } from 'lit';
import { WITH_MASKS } from '../../plain/aside.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../form/form.js').Actions} Actions
 */

/**
 * `masks`: a batch of texts, whose padding the PyTorch code must be able to hide.
 * @typedef {{ title: string, masks?: boolean, values: Record<string, unknown> }} Preset
 */

/**
 * `lab`: a page of the site that sets these side by side.
 * @type {{ group: string, presets: Preset[], lab?: { title: string, path: string } }[]}
 */
export const presetGroups = [
  {
    group: 'Scorers',
    presets: [
      {
        title: 'BERT base, linear',
        masks: true,
        values: { layer: 'linear_scorer', batch_size: 32, seq_len: 128, hidden_size: 768 }
      },
      {
        title: 'BERT base, additive',
        masks: true,
        values: { layer: 'additive_scorer', batch_size: 32, seq_len: 128, hidden_size: 768, attn_dim: 128 }
      },
      {
        title: 'RoBERTa base, additive',
        masks: true,
        values: {
          layer: 'additive_scorer',
          batch_size: 64,
          seq_len: 512,
          hidden_size: 768,
          attn_dim: 128,
          dtype: 'float16'
        }
      },
      {
        title: 'Long document',
        values: { layer: 'additive_scorer', batch_size: 1, seq_len: 16384, hidden_size: 1024, attn_dim: 256 }
      },
      {
        title: 'On a phone, int8',
        values: { layer: 'linear_scorer', batch_size: 1, seq_len: 64, hidden_size: 384, dtype: 'int8' }
      }
    ]
  },
  {
    group: 'Attention or dense',
    lab: { title: 'Train both', path: 'labs/attention-or-dense/' },
    presets: [
      {
        title: 'Attention, 30 days',
        values: { layer: 'timestep_attention', batch_size: 32, seq_len: 30, hidden_size: 8 }
      },
      {
        title: 'Dense, 30 days',
        values: { layer: 'dense', batch_size: 32, seq_len: 30, hidden_size: 8, out_features: 8, activation: 'tanh' }
      },
      {
        title: 'LSTM and attention, 30 days',
        values: {
          layer: 'sequence_classifier',
          batch_size: 32,
          seq_len: 30,
          input_size: 8,
          encoder: 'lstm',
          hidden_size: 32,
          pooling: 'timestep'
        }
      }
    ]
  },
  {
    group: 'Step by step',
    presets: [
      {
        title: 'Dot product',
        values: {
          layer: 'scaled_dot_product_attention',
          batch_size: 2,
          num_heads: 1,
          seq_len: 4,
          kv_len: 4,
          head_dim: 8
        }
      },
      {
        title: 'Attention layer',
        values: { layer: 'attention_layer', batch_size: 1, seq_len: 5, kv_len: 5, hidden_size: 64 }
      },
      { title: 'Self-attention', values: { layer: 'self_attention', batch_size: 2, seq_len: 10, hidden_size: 128 } },
      {
        title: 'One head',
        values: {
          layer: 'multihead_attention',
          batch_size: 2,
          seq_len: 10,
          hidden_size: 128,
          num_heads: 1,
          projections: 'separate',
          dropout: 0.1
        }
      },
      {
        title: 'Eight heads',
        values: {
          layer: 'multihead_attention',
          batch_size: 2,
          seq_len: 10,
          hidden_size: 128,
          num_heads: 8,
          projections: 'separate',
          dropout: 0.1
        }
      },
      {
        title: 'Classifier',
        masks: true,
        values: {
          layer: 'attention_classifier',
          batch_size: 32,
          seq_len: 50,
          vocab_size: 5000,
          hidden_size: 128,
          num_heads: 4,
          num_classes: 2
        }
      }
    ]
  },
  {
    group: 'In a model',
    presets: [
      {
        title: 'BiLSTM 2 × 256, additive',
        masks: true,
        values: {
          layer: 'sequence_classifier',
          batch_size: 64,
          seq_len: 60,
          input: 'tokens',
          input_size: 300,
          vocab_size: 10000,
          padding_idx: 0,
          encoder: 'lstm',
          hidden_size: 256,
          bidirectional: true,
          pooling: 'additive',
          attn_dim: 64
        }
      },
      {
        title: 'BERT base, multi-head',
        masks: true,
        values: { layer: 'multihead_attention', batch_size: 32, seq_len: 128, hidden_size: 768, num_heads: 12 }
      },
      {
        title: 'Llama-3-8B, grouped',
        values: {
          layer: 'grouped_query_attention',
          batch_size: 1,
          seq_len: 512,
          hidden_size: 4096,
          num_heads: 32,
          num_kv_heads: 8,
          rope_theta: 500000,
          dtype: 'bfloat16'
        }
      }
    ]
  }
];

/**
 * The preset with every field that it leaves out at its default.
 * @param {Store} store
 * @param {Record<string, unknown>} values
 */
export function presetValues(store, values) {
  const layer = store.layers.find(({ name }) => name === values.layer) ?? store.layer;
  return { ...Object.fromEntries(layer.fields.map((field) => [field.name, field.default])), ...values };
}

/**
 * @param {Store} store @param {Actions} actions
 * @param {string | null} root the way to the site's first page, if this is on it
 */
export function presetChips(store, actions, root) {
  const known = presetGroups.map((one) => ({
    ...one,
    presets: one.presets.filter(({ values }) => store.layers.some(({ name }) => name === values.layer))
  }));
  return html`
    <div class="chips" role="group" aria-label="Presets">
      ${known
        .filter(({ presets }) => presets.length)
        .map(
          ({ group, presets, lab }) => html`
        <div class="chip-group" role="group" aria-label=${group}><span aria-hidden="true">${group}</span>${presets.map((preset) => chip(store, actions, preset))}${lab && root !== null ? html`<a class="chip" href=${root + lab.path}>${lab.title}</a>` : nothing}</div>`
        )}
    </div>`;
}

/** @param {Store} store @param {Actions} actions @param {Preset} preset */
function chip(store, actions, preset) {
  const full = presetValues(store, preset.values);
  return html`<button class="chip" type="button" aria-pressed=${matches(store.config, full) && store.valid ? 'true' : 'false'}
    @click=${() => actions.set(full, { code: codeOf(preset) })}>${preset.title}</button>`;
}

/** Of `aside`, the PyTorch code. @param {Preset | undefined} preset */
const codeOf = (preset) => (preset?.masks ? WITH_MASKS : '');

/** A calculator that no link fills starts with the code of the preset that its values are. @param {Store} store */
export function startWithPreset(store) {
  const all = presetGroups.flatMap(({ presets }) => presets);
  store.look({ code: codeOf(all.find(({ values }) => matches(store.config, presetValues(store, values)))) });
}

/** @param {Record<string, unknown>} config @param {Record<string, unknown>} values */
export const matches = (config, values) => Object.entries(values).every(([name, value]) => config[name] === value);
