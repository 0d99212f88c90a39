// What the chosen layer or model keeps of a text, at a context and a number of sequences that one chooses.

import { html, nothing } from 'lit';
import { formatBytes, formatCount } from '../../plain/format.js';
import { longestOf, modelOf, subjectOf } from '../models/model.js';
import { cacheLength, lengthFields } from './cache-length.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('./cache-length.js').Length} Length
 * @typedef {import('./panels.js').Panel} Panel
 */

/** Whether the layer has a cache whose length can be chosen. @param {Store} store */
const keeps = ({ estimate }) => Boolean(estimate.kv_cache);

/**
 * Whether the fields of the length stand above the layer's own cache; else they stand above the table of kinds.
 * @param {Store} store @param {readonly Panel[]} panels
 */
export const hasOwnFields = (store, panels) => panels.includes('cache') && keeps(store);

/** @param {Store} store @param {readonly Panel[]} panels */
export function cacheView(store, panels) {
  if (!keeps(store) && panels.includes('kinds')) return nothing;
  const subject = subjectOf(store);
  return html`
    <section class="panel" part="panel" id="kv-cache" aria-labelledby="kv-cache-title">
      <h2 id="kv-cache-title" class="panel-title">KV cache of ${subject} <span class="panel-note">at a context and a number
        of sequences that you choose</span></h2>
      ${keeps(store) ? html`${lengthFields(store)}${ownView(store)}` : html`<p class="note">${subject} keeps no cache from one call to the next.</p>`}
    </section>`;
}

/** @param {Store} store */
function ownView(store) {
  const { context, sequences } = cacheLength(store.aside);
  const { learned, positions } = longestOf(store);
  const length = Math.min(context, learned ?? Infinity);
  const own = store.figures([{ ...store.config, batch_size: sequences, seq_len: 1, past_len: length - 1 }])[0];
  if (!own?.kv_cache) return nothing;
  const layers = modelOf(store)?.layers ?? 1;
  const isCut = own.kv_cache.bytes_per_sequence < own.kv_cache.bytes_per_token * length;
  const [token, sequence, all] = [
    own.kv_cache.bytes_per_token,
    own.kv_cache.bytes_per_sequence,
    own.kv_cache.bytes
  ].map((bytes) => formatBytes(bytes * layers));
  return html`
    <p class="cache-own" data-cache-own><b>${all}</b> for ${subjectOf(store)}: ${token} a token${layers > 1 ? ` in all ${layers} layers` : ''}, ${sequence} a sequence
      of ${formatCount(length)} positions${isCut ? windowText(store.config) : ''}${sequences > 1 ? `, ${formatCount(sequences)} sequences` : ''}.${layers > 1 ? '' : withParameters(own.kv_cache.bytes, own.memory.parameters)}</p>
    ${positions !== null && context > positions ? html`<p class="note" data-beyond role="status">${beyond(store, context, positions, learned !== null)}</p>` : nothing}`;
}

/** Where a sequence keeps less than all of its tokens. @param {Record<string, any>} config */
const windowText = ({ window }) => (window ? ` (windowed layers keep the last ${formatCount(window)})` : '');

/** @param {number} cache @param {number} parameters */
const withParameters = (cache, parameters) =>
  ` With ${formatBytes(parameters)} of parameters that is ${formatBytes(cache + parameters)} before anything is computed.`;

/** @param {Store} store @param {number} context @param {number} positions @param {boolean} learned */
function beyond(store, context, positions, learned) {
  const end = `${subjectOf(store)} ends at ${formatCount(positions)} positions`;
  return learned
    ? `${end}, each of which has a vector of its own: the cache is that of ${formatCount(positions)}, not of ${formatCount(context)}.`
    : `${end} by its config.json: a cache of ${formatCount(context)} takes this, but the model is not made for it.`;
}
