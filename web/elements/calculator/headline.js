// The answer: four figures, one sentence under each.

import { html, nothing } from 'lit';
import { changeLine } from '../../plain/change.js';
import { formatBytes, formatCount, formatList, formatShort, splitBytes, splitCount } from '../../plain/format.js';
import { isSize } from '../../plain/fields.js';
import { longestOf, modelOf, subjectOf } from '../models/model.js';
import { partText } from '../../plain/model.js';
import { titleOf } from '../../plain/pin.js';
import { isInSixteenBits, mixedDetails, mixedMemory } from './mixed-precision.js';
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
  const one = modelOf(store)?.layers ? ' of one layer' : '';
  const since = changes(store);
  return html`
    <section class="answer" part="answer" aria-labelledby="answer-title">
      ${titleView(store)}
      <p class="hidden" role="status">${store.valid ? spoken(estimate) : ''}</p>
      ${leftOutNote(store)}
      ${store.notice ? html`<p class="stale-note" role="status">${store.notice}</p>` : nothing}
      ${store.current ? nothing : staleNote(store, hasForm)}
      <div class="figures ${store.current ? '' : 'stale'}">
        ${figure(`Parameters${one}`, 'parameters', split(splitCount(estimate.parameters)), parameterFormula(estimate), { change: since.parameters })}
        ${figure(`Forward MACs${one}`, 'macs', split(splitCount(estimate.macs)), macFormula(estimate), {
          change: since.macs,
          more: `${formatShort(estimate.flops)} FLOPs at 2 a MAC, ${countsMasked(estimate) ? 'masked scores included, ' : ''}as PyTorch counts them`
        })}
        ${figure('Output shape', 'output_shape', shapeView(estimate.output_shape), shapeFormula(estimate), { change: since.shape })}
        ${figure(`Peak memory to infer${one}`, 'memory', split(splitBytes(estimate.memory.inference_total)), memoryFormula(estimate), { change: since.memory, more: trainingView(store) })}
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

/**
 * Names the model, and says how much of it is sized and how far it reaches; a layer has its name in the form.
 * @param {Store} store
 */
function titleView(store) {
  const model = modelOf(store);
  if (!model) return html`<h2 id="answer-title" class="hidden">Result: ${subjectOf(store)}</h2>`;
  const { positions } = longestOf(store);
  const { seq_len, past_len = 0 } = /** @type {Record<string, any>} */ (store.config);
  const end =
    positions === null ? '' : `; ${model.layers ? 'the model' : 'it'} ends at ${formatCount(positions)} positions`;
  const over =
    positions !== null && seq_len + past_len > positions
      ? `, and is sized here at ${formatCount(seq_len + past_len)}`
      : '';
  return html`
    <h2 id="answer-title" class="answer-title"><span class="hidden">Result: </span>${model.name}
      <span class="panel-note">${partText(model) || `the whole ${titleOf(store.layers, store.config).toLowerCase()}`}${end}${over}</span></h2>`;
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
  const layers = modelOf(store)?.layers ?? 1;
  const where = layers > 1 ? `, all ${formatCount(layers)} layers` : '';
  const times = layers > 1 ? `${formatCount(layers)} × ${formatBytes(cache.bytes_per_token)}: ` : '';
  const [token, sequence, batch] = [cache.bytes_per_token, cache.bytes_per_sequence, cache.bytes].map(
    (bytes) => bytes * layers
  );
  const since = (/** @type {'bytes_per_token' | 'bytes_per_sequence' | 'bytes'} */ key) =>
    sincePin(store, ({ kv_cache: own }) => own?.[key] ?? null, formatBytes);
  const kept = config.window ? `; windowed layers keep the last ${formatCount(config.window)}` : '';
  return html`
    <div class="cache">
      ${figure(`KV cache of a token${where}`, 'kv_cache_token', split(splitBytes(token)), `${times}${cacheFormula(store.estimate, next)}`, { change: since('bytes_per_token') })}
      ${figure(`KV cache of a sequence${where}`, 'kv_cache_sequence', split(splitBytes(sequence)), `${formatCount(positions)} positions${kept}`, { change: since('bytes_per_sequence') })}
      ${figure(`KV cache of the batch${where}`, 'kv_cache', split(splitBytes(batch)), `${formatCount(config.batch_size)} × ${formatBytes(sequence)}`, { change: since('bytes') })}
    </div>`;
}

/** What else there is to say of the peak. @param {Store} store */
function trainingView(store) {
  const { estimate, training, pinnedTraining } = store;
  const change = changeLine(training.memory?.peak ?? null, pinnedTraining?.memory?.peak ?? null, formatBytes);
  const { memory } = training;
  const isMixed = isInSixteenBits(estimate) && memory !== null;
  const without = withoutWeights(estimate.memory);
  return html`${isMixed ? '' : without}${trainingSentence(estimate, training)}${change ? html` <span class="figure-change">(${change})</span>` : nothing}${
    isMixed
      ? html`<details class="figure-details"><summary>Between steps, and why</summary>${mixedDetails(estimate, memory)} ${without}</details>`
      : nothing
  }`;
}

/** @param {any} memory of the layer */
const withoutWeights = ({ inference_total: peak, inference_total_without_weights: least }) =>
  least < peak ? `To infer where no attention weights are returned: ${formatBytes(least)}. ` : '';

/**
 * @param {any} estimate
 * @param {import('../../plain/store.js').Training} training
 */
export function trainingSentence(estimate, { memory, none }) {
  if (!memory) return `Training: none, ${none}`;
  if (isInSixteenBits(estimate))
    return `A training step with Adam: ${formatBytes(mixedMemory(memory).peak)} in mixed precision (16 bytes a parameter), ${formatBytes(memory.peak)} all in ${estimate.config.dtype}`;
  return `A training step with Adam: ${formatBytes(memory.peak)} at its peak, ${formatBytes(memory.kept)} between steps`;
}

/** What a link asks for and the layer does not have, until the first edit. @param {Store} store */
export const leftOutNote = ({ leftOut }) =>
  leftOut.length
    ? html`<p class="stale-note" role="status">${leftOut.map((message) => html`${withoutList(message)} `)}${leftOut.length > 1 ? 'They were' : 'It was'} left out.</p>`
    : nothing;

/** A list of names too long for a note: the form has them. */
const LIST = /one of [\w, ]{80,}(?=, got)/;

/** Without the list of fields: the form shows which there are. @param {string} message */
const withoutList = (message) => (message.endsWith('?') ? message : `${message.split(';')[0]}.`);

/**
 * Says whose figures are shown while what was entered has none, and why it has none.
 * @param {Store} store @param {boolean} hasForm whether the form says why, where it is in sight
 */
export function staleNote(store, hasForm) {
  const { config, layers, errors, valid } = store;
  if (valid)
    return html`<p class="stale-note" role="status">The file was refused. These figures are still those of ${subjectOf(store)}.</p>`;
  const fields = layers.find(({ name }) => name === config.layer)?.fields.filter(isSize) ?? [];
  const shown = fields.map(({ name }) => `${name} ${formatCount(Number(config[name]))}`).join(', ');
  const why = Object.values(errors).map(
    (message) => `${hasForm ? withoutList(message.replace(LIST, 'one of those in the form')) : `${message}.`} `
  );
  return html`<p class="stale-note" role="status">${hasForm ? html`<span class="sheet-only">${why}</span>` : why}These figures are for the last valid values: ${shown}.</p>`;
}
