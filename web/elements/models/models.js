// Published models as rows: a click takes a whole one, or sizes the chosen layer on it. Number formats: those of the
// core, and FP8 after the OCP's specification.

import { html, nothing } from 'lit';
import { formatBytes, formatCount, scientific, superscript } from '../../plain/format.js';
import { matches, presetValues } from './presets.js';
import { modelOf, takeModel } from './model.js';
import { models } from './converted.js';

/**
 * The core's formats by their `dtype`, and two that it has not, with their own figures.
 * @type {{ name: string, dtype?: string, bits?: number, largest?: number, step?: number, scaled?: boolean,
 *   use: string }[]}
 */
const FORMATS = [
  {
    name: 'FP32',
    dtype: 'float32',
    use: 'Reference results, optimizer state, sums inside lower-precision products'
  },
  {
    name: 'FP16',
    dtype: 'float16',
    use: 'Mixed-precision training with loss scaling, inference on GPUs'
  },
  {
    name: 'BF16',
    dtype: 'bfloat16',
    use: 'Mixed-precision training without loss scaling: the range of FP32, fewer digits'
  },
  {
    name: 'FP8 E4M3',
    bits: 8,
    largest: 448,
    step: 2 ** -3,
    use: 'Weights and activations in the forward pass, with scale factors'
  },
  {
    name: 'FP8 E5M2',
    bits: 8,
    largest: 57344,
    step: 2 ** -2,
    use: 'Gradients, where range counts more than digits'
  },
  {
    name: 'INT8',
    dtype: 'int8',
    scaled: true,
    use: 'Quantized inference; needs a scale a tensor or channel, no gradient'
  }
];

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {(patch: Record<string, unknown>) => void} Set
 * @typedef {import('../../plain/store.js').EstimateFigures} EstimateFigures
 * @typedef {{ name: string, config: any, estimate: EstimateFigures, length: number, note: string }} Model `length`:
 *   positions that can be used
 */

/** What one call over a whole model is sized for: every model can take it. */
const WHOLE = { batch_size: 1, seq_len: 512 };

/** With which a page about models begins. */
export const FIRST_MODEL = 'Llama-3-8B';

/** A published model, sized for one call. @param {string} name @returns {Record<string, unknown>} */
export function wholeModel(name) {
  const { config } = models.find((model) => model.name === name) ?? models[0];
  return { ...config, ...WHOLE };
}

/** The published models whose layer the registry has. @param {Store} store @returns {Model[]} */
function modelsOf(store) {
  const configs = models.map(({ name }) => presetValues(store, wholeModel(name)));
  return store.figures(configs).flatMap((estimate, index) => {
    if (!estimate) return [];
    const [config, { name, usable }] = [configs[index], models[index]];
    const positions = Number(config.max_positions);
    const note = usable ? `${positions} positions, ${usable} usable` : '';
    return [{ name, config, estimate, length: usable ?? positions, note }];
  });
}

/**
 * The share of each model's parameters that the chosen layer would have in the model's sizes; null where it cannot.
 * @param {Store} store
 * @param {Model[]} models
 */
function sharesOf(store, models) {
  const own = store.config.layer === store.layer.name;
  const configs = models.map((model) => ({
    ...store.config,
    ...(own ? sizesOf(store, model) : {}),
    batch_size: 1 // parameters do not depend on it
  }));
  return store
    .figures(configs)
    .map((estimate, index) => estimate && estimate.parameters / models[index].estimate.parameters);
}

/**
 * The sizes of a model under the names of the chosen layer's fields; what the layer finds itself is left to it.
 * @param {Store} store
 * @param {Model} model
 */
function sizesOf(store, { config, length }) {
  const { hidden_size: hidden, num_heads: heads, intermediate_size } = config;
  const sizes = /** @type {Record<string, number>} */ ({
    hidden_size: hidden,
    num_heads: heads,
    num_kv_heads: heads,
    head_dim: config.head_dim ?? hidden / heads,
    intermediate_size,
    seq_len: length,
    kv_len: length
  });
  return Object.fromEntries(
    store.layer.fields
      .filter(({ name }) => name in sizes)
      .map(({ name, optional }) => [name, optional ? (config[name] ?? null) : sizes[name]])
  );
}

/**
 * Takes a published model, with the lengths that were chosen.
 * @param {Store} store @param {string} name
 */
export function takePublished(store, name) {
  takeModel(store, wholeModel(name), null);
}

/**
 * @typedef {{ take: (name: string) => void, set: Set }} Choose `take`: a published model; `set`: sizes of one
 */

/** @param {Store} store @param {Choose} choose */
export function modelsView(store, choose) {
  const isModel = store.layer.fields.some(({ name }) => name === 'vocab_size');
  const models = modelsOf(store);
  const shares = isModel ? [] : sharesOf(store, models);
  return html`
    <section class="panel" part="panel" id="models" aria-labelledby="models-title">
      <h2 id="models-title" class="panel-title">Published models <span class="panel-note">choose one to size it
        whole${isModel ? '' : ', or its last column to size the chosen layer on it'}</span></h2>
      <div class="scroller" tabindex="0" role="group" aria-labelledby="models-title">
        <table class="table">
          <thead><tr><th scope="col">Model</th><th scope="col" class="num">Parameters</th><th scope="col" class="num">Layers</th><th scope="col" class="num">Hidden size</th>
            <th scope="col" class="num"><abbr title="Of queries, and of keys where they are fewer">Heads</abbr></th><th scope="col" class="num">Max length</th><th scope="col" class="num"><abbr title="Bytes that one position keeps, in the format that the model is published in">Cache a token</abbr></th>
            ${isModel ? nothing : html`<th scope="col" class="num">This layer adds</th>`}</tr></thead>
          <tbody>${models.map((model, index) => modelRow(model, store, choose, isModel ? undefined : shares[index]))}</tbody>
        </table>
      </div>
    </section>`;
}

/**
 * @param {Model} model
 * @param {Store} store
 * @param {Choose} choose
 * @param {number | null | undefined} share of its parameters that the chosen layer would have; null where it cannot,
 *   undefined where a model is chosen
 */
function modelRow(model, store, { take, set }, share) {
  const { name, config, estimate, length, note } = model;
  return html`
    <tr class=${modelOf(store)?.name === name ? 'fits' : ''}>
      <th scope="row"><button type="button" class="link" @click=${() => take(name)}>${name}</button></th>
      <td class="num">${formatCount(estimate.parameters)}</td><td class="num">${config.num_layers}</td><td class="num">${formatCount(config.hidden_size)}</td>
      <td class="num">${config.num_heads}${config.num_kv_heads ? ` / ${config.num_kv_heads}` : ''}</td>
      <td class="num">${note ? html`<abbr title=${note}>${formatCount(length)}</abbr>` : formatCount(length)}</td>
      <td class="num">${estimate.kv_cache ? formatBytes(estimate.kv_cache.bytes_per_token) : '–'}</td>
      ${share === undefined ? nothing : html`<td class="num">${share === null ? '–' : shareView(share, model, store, set)}</td>`}
    </tr>`;
}

/**
 * @param {number} share
 * @param {Model} model
 * @param {Store} store
 * @param {Set} set
 */
function shareView(share, model, store, set) {
  const sizes = sizesOf(store, model);
  return html`<button type="button" class="link" aria-label=${`${percent(share)}, size the layer on ${model.name}`}
    aria-pressed=${matches(store.config, sizes) ? 'true' : 'false'}
    @click=${() => set(sizes)}>${percent(share)}</button>`;
}

/** @param {number} share */
function percent(share) {
  const value = share * 100;
  if (value === 0) return '0 %';
  return `${value >= 1e-5 ? Number(value.toPrecision(2)) : value.toExponential(1)} %`;
}

/** @param {Store} store @param {Set} set */
export function formatsView(store, set) {
  const { shapes } = store.estimate;
  return html`
    <section class="panel" part="panel" id="formats" aria-labelledby="formats-title">
      <h2 id="formats-title" class="panel-title">Number formats <span class="panel-note">choose one to see its bytes
        everywhere</span></h2>
      <div class="scroller" tabindex="0" role="group" aria-labelledby="formats-title">
        <table class="table">
          <thead><tr><th scope="col">Format</th><th scope="col" class="num">Bits</th><th scope="col" class="num">Bytes</th>
            <th scope="col" class="num">Largest value</th><th scope="col" class="num">Step at 1</th>
            <th scope="col" class="num">${shapes.scores ? 'Scores' : 'Output'} here</th><th scope="col">Use</th></tr></thead>
          <tbody>${FORMATS.map((format) => formatRow(format, store, set))}</tbody>
        </table>
      </div>
    </section>`;
}

/** @param {typeof FORMATS[number]} format @param {Store} store @param {Set} set */
function formatRow(format, { formats, estimate }, set) {
  const { name, dtype, scaled, use } = format;
  const { bits = 0, largest = 0, step = 0 } = formats.find((known) => known.name === dtype) ?? format;
  const { config, shapes, output_shape: output } = estimate;
  const bytes = (shapes.scores ?? output).reduce((product, length) => product * length, bits / 8);
  return html`
    <tr class=${dtype && dtype === config.dtype ? 'fits' : ''}>
      <th scope="row">${dtype ? html`<button type="button" class="link" @click=${() => set({ dtype })}>${name}</button>` : name}</th>
      <td class="num">${bits}</td><td class="num">${bits / 8}</td><td class="num">${largestText(largest)}${scaled ? ' × scale' : ''}</td>
      <td class="num">${scaled ? `${step} × scale` : stepText(step)}</td><td class="num">${formatBytes(bytes)}</td><td class="use">${use}</td>
    </tr>`;
}

const MOST_WRITTEN_OUT = 1e6;

/** `65,504`, `3.403 × 10³⁸`. @param {number} largest */
const largestText = (largest) => (largest < MOST_WRITTEN_OUT ? formatCount(largest) : scientific(largest, 3));

/** @param {number} step */
const stepText = (step) => `${decimal(step)} = 2${superscript(Math.log2(step))}`;

/** @param {number} step */
const decimal = (step) => (step >= 1e-4 ? String(Number(step.toPrecision(3))) : scientific(step, 2));
