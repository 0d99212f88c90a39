// What several kinds of attention keep of each position, in the sizes of the chosen layer: one layer of each, sized
// here and now.

import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { comparable } from '../../plain/alternatives.js';
import { formatBytes, formatCount } from '../../plain/format.js';
import { presetValues } from '../models/presets.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {{ hidden_size: number, num_heads: number, head_dim: number, dtype: string }} Sizes
 * @typedef {{ title: string, note: string, values: (sizes: Sizes) => Record<string, unknown> }} Kind
 */

const POSITIONS = 8192;
const GROUP = 4;
const WINDOW = 1024;

const grouped = (/** @type {Sizes} */ { hidden_size, num_heads, head_dim }) => ({
  layer: 'grouped_query_attention',
  hidden_size,
  num_heads,
  head_dim: head_dim * num_heads === hidden_size ? null : head_dim
});

/**
 * So many heads of keys that four query heads share each, or the next smaller number that divides.
 * @param {number} heads
 */
const groupsOf = (heads) =>
  Math.max(
    ...Array.from({ length: heads }, (_, index) => index + 1).filter(
      (count) => heads % count === 0 && count <= Math.max(1, heads / GROUP)
    )
  );

/**
 * Latent: in DeepSeek-V2's proportions, a latent as wide as four heads and a rotary key of half a head.
 * @type {Kind[]}
 */
const KINDS = [
  {
    title: 'Multi-head',
    note: 'every head has keys and values of its own',
    values: (sizes) => ({ ...grouped(sizes), num_kv_heads: sizes.num_heads })
  },
  {
    title: 'Grouped',
    note: `${GROUP} query heads share one`,
    values: (sizes) => ({ ...grouped(sizes), num_kv_heads: groupsOf(sizes.num_heads) })
  },
  {
    title: 'Grouped, window',
    note: `and only the last ${formatCount(WINDOW)} positions stay`,
    values: (sizes) => ({ ...grouped(sizes), num_kv_heads: groupsOf(sizes.num_heads), window: WINDOW })
  },
  {
    title: 'Multi-query',
    note: 'all query heads share one',
    values: (sizes) => ({ ...grouped(sizes), num_kv_heads: 1 })
  },
  {
    title: 'Latent',
    note: 'one narrow vector stands for all heads',
    values: ({ hidden_size, num_heads, head_dim }) => ({
      layer: 'latent_attention',
      hidden_size,
      num_heads,
      kv_lora_rank: 4 * head_dim,
      qk_nope_head_dim: head_dim,
      qk_rope_head_dim: Math.max(2, 2 * Math.round(head_dim / 4)),
      v_head_dim: head_dim
    })
  }
];

/**
 * @typedef {{ context: number, sequences: number }} Length positions of each sequence in the cache
 */

const MOST = 2 ** 31 - 1;

/**
 * What was entered for the length of the cache; the default where that is no such number, with what is wrong with it.
 * @param {Record<string, string>} aside of the store
 */
export function cacheLength({ context, sequences }) {
  const read = (/** @type {string | undefined} */ text, /** @type {number} */ fallback) => {
    const number = Number(text ?? fallback);
    return Number.isInteger(number) && number >= 1 && number <= MOST ? number : null;
  };
  const [length, count] = [read(context, POSITIONS), read(sequences, 1)];
  const wrong = (/** @type {string} */ name, /** @type {string} */ text) =>
    `${name} must be an integer from 1 to ${formatCount(MOST)}, got ${JSON.stringify(text)}`;
  return {
    context: length ?? POSITIONS,
    sequences: count ?? 1,
    errors: {
      context: length === null ? wrong('context', context) : '',
      sequences: count === null ? wrong('sequences', sequences) : ''
    }
  };
}

/** One step of decoding with each kind. @param {Store} store @param {Length} length */
export function cacheKinds(store, { context, sequences }) {
  const sizes = /** @type {Sizes} */ (comparable(store.config));
  const step = { batch_size: sequences, seq_len: 1, past_len: context - 1, dtype: sizes.dtype };
  const configs = KINDS.map(({ values }) => presetValues(store, { ...values(sizes), ...step }));
  return store.figures(configs).flatMap((estimate, index) => {
    const { title, note } = KINDS[index];
    return estimate?.kv_cache ? [{ title, note, config: configs[index], estimate, cache: estimate.kv_cache }] : [];
  });
}

/**
 * The chosen layer or model, decoding the last position of such a context; null where it keeps nothing.
 * @param {Store} store @param {Length} length
 */
function ownCache(store, { context, sequences }) {
  const { config, estimate } = store;
  if (!estimate.kv_cache) return null;
  const positions = 'max_positions' in config ? { max_positions: Math.max(Number(config.max_positions), context) } : {};
  const step = { batch_size: sequences, seq_len: 1, past_len: context - 1, ...positions };
  return store.figures([{ ...config, ...step }])[0];
}

/** @param {Store} store @param {(patch: Record<string, unknown>) => void} set */
export function kvCacheView(store, set) {
  const { hidden_size: hidden, num_heads: heads, dtype } = comparable(store.config);
  const { errors, ...length } = cacheLength(store.aside);
  const own = ownCache(store, length);
  return html`
    <section class="panel" part="panel" id="kv-cache" aria-labelledby="kv-cache-title">
      <h2 id="kv-cache-title" class="panel-title">KV cache <span class="panel-note">at a context and a number of sequences
        that you choose</span></h2>
      <div class="cache-length">
        ${lengthField(store, 'context', 'Context', length.context, errors.context)}
        ${lengthField(store, 'sequences', 'Sequences', length.sequences, errors.sequences)}
      </div>
      ${own ? ownView(store, own, length) : nothing}
      <h3>One layer of each kind <span class="panel-note">hidden_size ${formatCount(hidden)}, ${heads} ${heads === 1 ? 'head' : 'heads'}, ${dtype}; choose one to decode one position with it</span></h3>
      ${cacheTable(cacheKinds(store, length), length, set)}
    </section>`;
}

/**
 * @param {Store} store @param {'context' | 'sequences'} name @param {string} title @param {number} value
 * @param {string} error
 */
const lengthField = (store, name, title, value, error) => html`
  <label class="seed">${title} <input class="number" name=${name} inputmode="numeric" autocomplete="off" .value=${live(store.aside[name] ?? String(value))}
    aria-invalid=${error ? 'true' : 'false'} aria-describedby=${`error-${name}`}
    @input=${(/** @type {any} */ event) => store.look({ [name]: event.target.value.trim() }, { gesture: `box:${name}` })}></label>
  <p class="field-error" id=${`error-${name}`} role="alert">${error}</p>`;

/** @param {Store} store @param {import('../../plain/store.js').EstimateFigures} own @param {Length} length */
function ownView(store, { kv_cache: cache, memory }, { context, sequences }) {
  const kept = /** @type {import('../../lib/index.js').KvCache} */ (cache);
  const title = store.layers.find(({ name }) => name === store.config.layer)?.title ?? '';
  return html`
    <p class="cache-own" data-cache-own><b>${formatBytes(kept.bytes)}</b> for this ${title.toLowerCase()}: ${formatBytes(kept.bytes_per_token)} a token, ${formatBytes(kept.bytes_per_sequence)} a sequence
      of ${formatCount(context)} positions${sequences > 1 ? `, ${formatCount(sequences)} sequences` : ''}. With ${formatBytes(memory.parameters)} of parameters that
      is ${formatBytes(kept.bytes + memory.parameters)} before anything is computed.</p>`;
}

/**
 * @param {ReturnType<typeof cacheKinds>} rows @param {Length} length
 * @param {(patch: Record<string, unknown>) => void} set
 */
const cacheTable = (rows, { context, sequences }, set) => html`
  <div class="scroller" tabindex="0" role="group" aria-labelledby="kv-cache-title">
    <table class="table">
      <thead><tr><th scope="col">Attention</th><th scope="col" class="num">Bytes a
        token</th><th scope="col" class="num">At ${formatCount(context)} positions${sequences > 1 ? ` × ${formatCount(sequences)}` : ''}</th>
        <th scope="col" class="num">Of multi-head</th><th scope="col" class="num">Parameters</th></tr></thead>
      <tbody>${rows.map(
        ({ title, note, config, estimate, cache }) => html`
        <tr><th scope="row"><button type="button" class="link" @click=${() => set(config)}>${title}</button><span class="kind">${note}</span></th>
          <td class="num">${formatCount(cache.bytes_per_token)}</td><td class="num">${formatBytes(cache.bytes)}</td>
          <td class="num">${shareText(cache.bytes / rows[0].cache.bytes)}</td><td class="num">${formatCount(estimate.parameters)}</td></tr>`
      )}</tbody>
    </table>
  </div>`;

/** @param {number} share */
const shareText = (share) => `${Number((share * 100).toPrecision(3))} %`;
