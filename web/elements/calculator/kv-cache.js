// What several kinds of attention keep of each position, in the sizes of the chosen layer: one layer of each, sized
// here and now.

import { html } from 'lit';
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

/** One step of decoding with each kind. @param {Store} store */
export function cacheKinds(store) {
  const sizes = /** @type {Sizes} */ (comparable(store.config));
  const step = { batch_size: 1, seq_len: 1, past_len: POSITIONS - 1, dtype: sizes.dtype };
  const configs = KINDS.map(({ values }) => presetValues(store, { ...values(sizes), ...step }));
  return store.figures(configs).flatMap((estimate, index) => {
    const { title, note } = KINDS[index];
    return estimate?.kv_cache ? [{ title, note, config: configs[index], estimate, cache: estimate.kv_cache }] : [];
  });
}

/** @param {Store} store @param {(patch: Record<string, unknown>) => void} set */
export function kvCacheView(store, set) {
  const { hidden_size: hidden, num_heads: heads, dtype } = comparable(store.config);
  return html`
    <section class="panel" id="kv-cache" aria-labelledby="kv-cache-title">
      <h2 id="kv-cache-title" class="panel-title">KV cache of one layer <span class="panel-note">hidden_size ${formatCount(hidden)}, ${heads} ${heads === 1 ? 'head' : 'heads'}, ${dtype}; choose one to decode one position with it</span></h2>
      ${cacheTable(cacheKinds(store), set)}
    </section>`;
}

/** @param {ReturnType<typeof cacheKinds>} rows @param {(patch: Record<string, unknown>) => void} set */
const cacheTable = (rows, set) => html`
  <div class="scroller" tabindex="0" role="group" aria-labelledby="kv-cache-title">
    <table class="table">
      <thead><tr><th scope="col">Attention</th><th scope="col" class="num">Bytes a
        token</th><th scope="col" class="num">At ${formatCount(POSITIONS)} positions</th>
        <th scope="col" class="num">Of multi-head</th><th scope="col" class="num">Parameters</th></tr></thead>
      <tbody>${rows.map(
        ({ title, note, config, estimate, cache }) => html`
        <tr><th scope="row"><button type="button" class="link" @click=${() => set(config)}>${title}</button><span class="kind">${note}</span></th>
          <td class="num">${formatCount(cache.bytes_per_token)}</td><td class="num">${formatBytes(cache.bytes_per_sequence)}</td>
          <td class="num">${shareText(cache.bytes_per_sequence / rows[0].cache.bytes_per_sequence)}</td><td class="num">${formatCount(estimate.parameters)}</td></tr>`
      )}</tbody>
    </table>
  </div>`;

/** @param {number} share */
const shareText = (share) => `${Number((share * 100).toPrecision(3))} %`;
