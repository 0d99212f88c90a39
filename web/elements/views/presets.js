// Starting points: each is a complete configuration.

import { html } from 'lit';

/**
 * @typedef {import('../state/store.js').Store} Store
 * @typedef {import('./form.js').Actions} Actions
 */

export const presets = [
  { title: 'BERT base, linear', values: { layer: 'linear_scorer', batch_size: 32, seq_len: 128, hidden_size: 768 } },
  { title: 'BERT base, additive', values: { layer: 'additive_scorer', batch_size: 32, seq_len: 128, hidden_size: 768, attn_dim: 128 } },
  { title: 'BERT base, self-attention', values: { layer: 'multihead_attention', batch_size: 32, seq_len: 128, hidden_size: 768, num_heads: 12 } },
  { title: 'BiLSTM 2 × 256', values: { layer: 'additive_scorer', batch_size: 64, seq_len: 60, hidden_size: 512, attn_dim: 64 } },
  { title: 'Long document', values: { layer: 'additive_scorer', batch_size: 1, seq_len: 16384, hidden_size: 1024, attn_dim: 256 } },
  { title: 'Llama-3-8B states', values: { layer: 'linear_scorer', batch_size: 1, seq_len: 8192, hidden_size: 4096, dtype: 'bfloat16' } },
  { title: 'On a phone, int8', values: { layer: 'linear_scorer', batch_size: 1, seq_len: 64, hidden_size: 384, dtype: 'int8' } },
];

/** The preset with every field that it leaves out at its default. @param {Store} store @param {Record<string, unknown>} values */
export function presetValues(store, values) {
  const layer = store.layers.find(({ name }) => name === values.layer) ?? store.layer;
  return { ...Object.fromEntries(layer.fields.map((field) => [field.name, field.default])), ...values };
}

/** @param {Store} store @param {Actions} actions */
export function presetChips(store, actions) {
  const known = presets.filter(({ values }) => store.layers.some(({ name }) => name === values.layer));
  return html`
    <div class="chips" role="group" aria-label="Presets">
      ${known.map(({ title, values }) => {
        const full = presetValues(store, values);
        return html`<button class="chip" type="button" aria-pressed=${matches(store.config, full) && store.valid ? 'true' : 'false'}
          @click=${() => actions.set(full)}>${title}</button>`;
      })}
    </div>`;
}

/** @param {Record<string, unknown>} config @param {Record<string, unknown>} values */
const matches = (config, values) => Object.entries(values).every(([name, value]) => config[name] === value);
