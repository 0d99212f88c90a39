// The answer: four figures, one sentence under each.

import { html, nothing } from 'lit';
import { changeLine } from '../../plain/change.js';
import { formatBytes, formatCount, formatList, formatShort, splitBytes, splitCount } from '../../plain/format.js';
import { isSize } from '../../plain/fields.js';
import { mixedSentence } from './mixed-precision.js';
import { pinLine, sincePin } from '../pin/view.js';
import { figure, split } from '../shared/figure.js';
import {
  cacheFormula,
  countsMasked,
  macFormula,
  memoryFormula,
  parameterFormula,
  shapeFormula
} from '../../plain/formulas.js';

/** @typedef {import('../../plain/store.js').Store} Store */

/**
 * @param {Store} store @param {import('../shared/copy-button.js').Exporting} exporting
 * @param {boolean} hasForm whether each message about a field stands beside that field
 */
export function headlineView(store, exporting, hasForm) {
  const { estimate } = store;
  const since = changes(store);
  return html`
    <section class="answer" part="answer" aria-labelledby="answer-title">
      <h2 id="answer-title" class="hidden">Result: ${store.layer.title}</h2>
      <p class="hidden" role="status">${store.valid ? spoken(estimate) : ''}</p>
      ${leftOutNote(store)}
      ${store.valid ? nothing : staleNote(store, hasForm)}
      <div class="figures ${store.valid ? '' : 'stale'}">
        ${figure('Parameters', 'parameters', split(splitCount(estimate.parameters)), parameterFormula(estimate), { change: since.parameters })}
        ${figure('Forward MACs', 'macs', split(splitCount(estimate.macs)), macFormula(estimate), {
          change: since.macs,
          more: `${formatShort(estimate.flops)} FLOPs at 2 a MAC, ${countsMasked(estimate) ? 'masked scores included, ' : ''}as PyTorch counts them`
        })}
        ${figure('Output shape', 'output_shape', shapeView(estimate.output_shape), shapeFormula(estimate), { change: since.shape })}
        ${figure('Peak memory to infer', 'memory', split(splitBytes(estimate.memory.inference_total)), memoryFormula(estimate), { change: since.memory, more: trainingView(store) })}
        ${estimate.kv_cache ? cacheView(store, estimate.kv_cache) : nothing}
      </div>
      ${pinLine(store, exporting)}
    </section>`;
}

/** Letters of a shape that a card shows in one line. */
const SHORT_SHAPE = 14;

/** @param {readonly number[]} shape */
function shapeView(shape) {
  const text = formatList(shape);
  return html`<span class=${text.length > SHORT_SHAPE ? 'figure-shape long' : 'figure-shape'}>${text}</span>`;
}

/** What became of the pinned figures, in a line each. @param {Store} store */
function changes(store) {
  const { output_shape: shape } = store.estimate;
  const before = store.pinnedFigures?.output_shape;
  const same = String(before) === String(shape);
  return {
    parameters: sincePin(store, ({ parameters }) => parameters, formatShort),
    macs: sincePin(store, ({ macs }) => macs, formatShort),
    shape: before ? (same ? 'same as pinned' : `pinned ${formatList(before)}`) : '',
    memory: sincePin(store, ({ memory }) => memory.inference_total, formatBytes)
  };
}

/** The answer as screen readers read it out. @param {any} estimate */
const spoken = ({ parameters, macs, output_shape: shape, memory, kv_cache: cache }) =>
  `${formatCount(parameters)} parameters, ${formatCount(macs)} MACs, output ${formatList(shape)}, ${formatBytes(memory.inference_total)} to infer at the peak${
    cache ? `, KV cache ${formatBytes(cache.bytes)}` : ''
  }`;

/** @param {Store} store @param {import('../../lib/index.js').KvCache} cache */
function cacheView(store, cache) {
  const config = /** @type {Record<string, any>} */ (store.config);
  const [next] = store.figures([{ ...config, seq_len: 1, past_len: 1 }]);
  const positions = (config.past_len ?? 0) + config.seq_len;
  const since = (/** @type {'bytes_per_token' | 'bytes_per_sequence' | 'bytes'} */ key) =>
    sincePin(store, ({ kv_cache: own }) => own?.[key] ?? null, formatBytes);
  const kept = config.window ? `; windowed layers keep the last ${formatCount(config.window)}` : '';
  return html`
    <div class="cache">
      ${figure('KV cache of a token', 'kv_cache_token', split(splitBytes(cache.bytes_per_token)), cacheFormula(store.estimate, next), { change: since('bytes_per_token') })}
      ${figure('KV cache of a sequence', 'kv_cache_sequence', split(splitBytes(cache.bytes_per_sequence)), `${formatCount(positions)} positions${kept}`, { change: since('bytes_per_sequence') })}
      ${figure('KV cache of the batch', 'kv_cache', split(splitBytes(cache.bytes)), `${formatCount(config.batch_size)} × ${formatBytes(cache.bytes_per_sequence)}`, { change: since('bytes') })}
    </div>`;
}

/** What else there is to say of the peak. @param {Store} store */
function trainingView(store) {
  const { estimate, training, pinnedTraining } = store;
  const change = changeLine(training.memory?.peak ?? null, pinnedTraining?.memory?.peak ?? null, formatBytes);
  return html`${trainingSentence(estimate, training)}${change ? html` <span class="figure-change">(${change})</span>` : nothing}${mixedSentence(estimate, training)}`;
}

/**
 * @param {any} estimate
 * @param {import('../../plain/store.js').Training} training
 */
export function trainingSentence({ memory, config, bytes_per_element: bytes }, { memory: training, none }) {
  const { inference_total: peak, inference_total_without_weights: least } = memory;
  const without = least < peak ? `${formatBytes(least)} where no attention weights are returned. ` : '';
  if (!training) return `${without}Training: none, ${none}`;
  const all = bytes === 4 ? '' : `, everything in ${config.dtype}`;
  return `${without}To train with Adam${all}: ${formatBytes(training.peak)} at the peak of a step, ${formatBytes(training.kept)} between steps`;
}

/** What a link asks for and the layer does not have, until the first edit. @param {Store} store */
export const leftOutNote = ({ leftOut }) =>
  leftOut.length
    ? html`<p class="stale-note" role="status">${leftOut.map((message) => html`${withoutList(message)} `)}${leftOut.length > 1 ? 'They were' : 'It was'} left out.</p>`
    : nothing;

/** Without the list of fields: the form shows which there are. @param {string} message */
const withoutList = (message) => (message.endsWith('?') ? message : `${message.split(';')[0]}.`);

/** @param {Store} store @param {boolean} hasForm */
function staleNote({ config, layers, errors }, hasForm) {
  const fields = layers.find(({ name }) => name === config.layer)?.fields.filter(isSize) ?? [];
  const shown = fields.map(({ name }) => `${name} ${formatCount(Number(config[name]))}`).join(', ');
  const why = hasForm ? [] : Object.values(errors).map((message) => `${message}. `);
  return html`<p class="stale-note" role="status">${why}These figures are for the last valid values: ${shown}.</p>`;
}
