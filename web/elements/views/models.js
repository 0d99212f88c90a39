// Published models; a click sizes the scorer on one. Parameter totals: each model built by transformers 5.12 on the
// meta device and counted. Number formats: IEEE 754, the bfloat16 and OCP FP8 specifications.

import { html } from 'lit';
import { formatBytes, formatCount } from '../format.js';

export const models = [
  { name: 'BERT base', hidden_size: 768, num_heads: 12, parameters: 109482240, max_len: 512 },
  { name: 'BERT large', hidden_size: 1024, num_heads: 16, parameters: 335141888, max_len: 512 },
  { name: 'DistilBERT', hidden_size: 768, num_heads: 12, parameters: 66362880, max_len: 512 },
  { name: 'RoBERTa base', hidden_size: 768, num_heads: 12, parameters: 124645632, max_len: 512, note: '514 positions, 512 usable' },
  { name: 'GPT-2', hidden_size: 768, num_heads: 12, parameters: 124439808, max_len: 1024 },
  { name: 'Llama-3-8B', hidden_size: 4096, num_heads: 32, parameters: 8030261248, max_len: 8192 },
];

export const formats = [
  { name: 'FP32', dtype: 'float32', bits: 32, largest: '3.403 × 10³⁸', step: 2 ** -23, use: 'Reference results, optimizer state, sums inside lower-precision products' },
  { name: 'FP16', dtype: 'float16', bits: 16, largest: '65,504', step: 2 ** -10, use: 'Mixed-precision training with loss scaling, inference on GPUs' },
  { name: 'BF16', dtype: 'bfloat16', bits: 16, largest: '3.390 × 10³⁸', step: 2 ** -7, use: 'Mixed-precision training without loss scaling: the range of FP32, fewer digits' },
  { name: 'FP8 E4M3', dtype: '', bits: 8, largest: '448', step: 2 ** -3, use: 'Weights and activations in the forward pass, with scale factors' },
  { name: 'FP8 E5M2', dtype: '', bits: 8, largest: '57,344', step: 2 ** -2, use: 'Gradients, where range counts more than digits' },
  { name: 'INT8', dtype: 'int8', bits: 8, largest: '127 × scale', step: 1, use: 'Quantized inference; needs a scale a tensor or channel, no gradient' },
];

/**
 * @typedef {import('../state/store.js').Store} Store
 * @typedef {typeof models[number]} Model
 */

/** The sizes of a model under the names of the chosen layer's fields; what the layer finds itself is left to it. @param {Store} store @param {Model} model */
function sizesOf(store, { hidden_size, num_heads, max_len }) {
  const sizes = /** @type {Record<string, number>} */ ({ hidden_size, num_heads, head_dim: hidden_size / num_heads, seq_len: max_len, kv_len: max_len });
  return Object.fromEntries(store.layer.fields.filter(({ name }) => name in sizes).map((field) => [field.name, field.optional ? null : sizes[field.name]]));
}

/** @param {Store} store @param {(patch: Record<string, unknown>) => void} set */
export function modelsView(store, set) {
  return html`
    <section class="panel" id="models" aria-labelledby="models-title">
      <h2 id="models-title" class="panel-title">Published models <span class="panel-note">choose one to size the layer on it</span></h2>
      <div class="scroller" tabindex="0" role="group" aria-labelledby="models-title">
        <table class="table">
          <thead><tr><th scope="col">Model</th><th scope="col" class="num">Hidden size</th><th scope="col" class="num">Heads</th>
            <th scope="col" class="num">Parameters</th><th scope="col" class="num">Max length</th>
            <th scope="col" class="num">This layer adds</th></tr></thead>
          <tbody>${models.map((model) => modelRow(model, store, set))}</tbody>
        </table>
      </div>
    </section>`;
}

/** @param {Model} model @param {Store} store @param {(patch: Record<string, unknown>) => void} set */
function modelRow(model, store, set) {
  const sizes = sizesOf(store, model);
  const pick = () => set(sizes);
  const config = { ...store.config, ...(store.config.layer === store.layer.name ? sizes : {}) };
  const estimate = store.estimateOrNull(config);
  const fits = Object.entries(sizes).every(([name, value]) => store.config[name] === value);
  return html`
    <tr class=${fits ? 'fits' : ''}>
      <th scope="row"><button type="button" class="link" @click=${pick}>${model.name}</button></th>
      <td class="num">${formatCount(model.hidden_size)}</td><td class="num">${model.num_heads}</td>
      <td class="num">${formatCount(model.parameters)}</td>
      <td class="num">${model.note ? html`<abbr title=${model.note}>${formatCount(model.max_len)}</abbr>` : formatCount(model.max_len)}</td>
      <td class="num">${estimate ? percent(estimate.parameters / model.parameters) : '–'}</td>
    </tr>`;
}

/** @param {number} share */
function percent(share) {
  const value = share * 100;
  if (value === 0) return '0 %';
  return `${value >= 1e-5 ? Number(value.toPrecision(2)) : value.toExponential(1)} %`;
}

/** @param {any} estimate @param {(patch: Record<string, unknown>) => void} set */
export function formatsView(estimate, set) {
  return html`
    <section class="panel" id="formats" aria-labelledby="formats-title">
      <h2 id="formats-title" class="panel-title">Number formats <span class="panel-note">choose one to see its bytes everywhere</span></h2>
      <div class="scroller" tabindex="0" role="group" aria-labelledby="formats-title">
        <table class="table">
          <thead><tr><th scope="col">Format</th><th scope="col" class="num">Bits</th><th scope="col" class="num">Bytes</th>
            <th scope="col" class="num">Largest value</th><th scope="col" class="num">Step at 1</th>
            <th scope="col" class="num">Scores here</th><th scope="col">Use</th></tr></thead>
          <tbody>${formats.map((format) => formatRow(format, estimate, set))}</tbody>
        </table>
      </div>
    </section>`;
}

/** @param {typeof formats[number]} format @param {any} estimate @param {(patch: Record<string, unknown>) => void} set */
function formatRow({ name, dtype, bits, largest, step, use }, { config, shapes }, set) {
  const scores = shapes.scores?.reduce((/** @type {number} */ product, /** @type {number} */ length) => product * length, bits / 8);
  return html`
    <tr class=${dtype && dtype === config.dtype ? 'fits' : ''}>
      <th scope="row">${dtype ? html`<button type="button" class="link" @click=${() => set({ dtype })}>${name}</button>` : name}</th>
      <td class="num">${bits}</td><td class="num">${bits / 8}</td><td class="num">${largest}</td>
      <td class="num">${stepText(step, name)}</td><td class="num">${scores === undefined ? '–' : formatBytes(scores)}</td><td class="use">${use}</td>
    </tr>`;
}

/** @param {number} step @param {string} name */
const stepText = (step, name) => (name === 'INT8' ? '1 × scale' : `${decimal(step)} = 2${superscript(Math.log2(step))}`);

/** @param {number} step */
function decimal(step) {
  if (step >= 1e-4) return String(Number(step.toPrecision(3)));
  const [digits, exponent] = step.toExponential(2).split('e');
  return `${digits} × 10${superscript(Number(exponent))}`;
}

/** @param {number} exponent */
const superscript = (exponent) => String(exponent).replace('-', '⁻').replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]);
