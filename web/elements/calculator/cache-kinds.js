// What several kinds of attention keep of each position, in the sizes of the chosen layer: one layer of each, sized
// here and now.

import { html, nothing } from 'lit';
import { comparable } from '../../plain/alternatives.js';
import { timesText } from '../../plain/change.js';
import { formatBytes, formatCount, formatThings } from '../../plain/format.js';
import { subjectOf } from '../models/model.js';
import { presetValues } from '../models/presets.js';
import { cacheLength, lengthFields } from './cache-length.js';
import { hasOwnFields } from './kv-cache.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('./cache-length.js').Length} Length
 * @typedef {{ hidden_size: number, num_heads: number, head_dim: number, dtype: string,
 *   latent: Record<string, unknown> }} Sizes `latent`: the fields of the chosen layer where it is a latent attention
 * @typedef {{ title: string, note: string, values: (sizes: Sizes) => Record<string, unknown> }} Kind
 */

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
 * Latent: the chosen layer where it is one; else in DeepSeek-V2's proportions, a latent as wide as four heads and a
 * rotary key of half a head.
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
    values: ({ hidden_size, num_heads, head_dim, latent }) => ({
      layer: 'latent_attention',
      hidden_size,
      num_heads,
      kv_lora_rank: 4 * head_dim,
      qk_nope_head_dim: head_dim,
      qk_rope_head_dim: Math.max(2, 2 * Math.round(head_dim / 4)),
      v_head_dim: head_dim,
      ...latent
    })
  }
];

/** @param {Store} store @returns {Sizes} */
function sizesOf({ config }) {
  const sizes = /** @type {Omit<Sizes, 'latent'>} */ (comparable(config));
  if (config.layer !== 'latent_attention') return { ...sizes, latent: {} };
  return { ...sizes, head_dim: Number(config.v_head_dim), latent: config };
}

/** One step of decoding with each kind. @param {Store} store @param {Length} length */
export function cacheKinds(store, { context, sequences }) {
  const sizes = sizesOf(store);
  const step = { batch_size: sequences, seq_len: 1, past_len: context - 1, dtype: sizes.dtype };
  const configs = KINDS.map(({ values }) => presetValues(store, { ...values(sizes), ...step }));
  return store.figures(configs).flatMap((estimate, index) => {
    const { title, note } = KINDS[index];
    return estimate?.kv_cache ? [{ title, note, config: configs[index], estimate, cache: estimate.kv_cache }] : [];
  });
}

/**
 * @param {Store} store @param {readonly import('./panels.js').Panel[]} panels
 * @param {(patch: Record<string, unknown>) => void} set
 */
export function kindsView(store, panels, set) {
  const { hidden_size: hidden, num_heads: heads, dtype } = sizesOf(store);
  const { errors: _, ...length } = cacheLength(store.aside);
  return html`
    <section class="panel" part="panel" id="cache-kinds" aria-labelledby="kinds-title">
      <h2 id="kinds-title" class="panel-title">The KV cache of one layer, by kind <span class="panel-note">in the sizes of
        ${subjectOf(store)}: hidden_size ${formatCount(hidden)}, ${formatThings(heads, 'head')}, ${dtype}; choose one to decode one position with it</span></h2>
      ${hasOwnFields(store, panels) ? nothing : lengthFields(store)}
      ${cacheTable(cacheKinds(store, length), length, set)}
    </section>`;
}

/**
 * @param {ReturnType<typeof cacheKinds>} rows @param {Length} length
 * @param {(patch: Record<string, unknown>) => void} set
 */
const cacheTable = (rows, { context, sequences }, set) => html`
  <div class="scroller" tabindex="0" role="group" aria-labelledby="kinds-title">
    <table class="table">
      <thead><tr><th scope="col">Attention</th><th scope="col" class="num">A token</th><th scope="col" class="num">At ${formatCount(context)} positions${sequences > 1 ? ` × ${formatCount(sequences)}` : ''}</th>
        <th scope="col" class="num">Ratio to multi-head</th><th scope="col" class="num">Parameters</th></tr></thead>
      <tbody>${rows.map(
        ({ title, note, config, estimate, cache }) => html`
        <tr><th scope="row"><button type="button" class="link" @click=${() => set(config)}>${title}</button><span class="kind">${note}</span></th>
          <td class="num">${formatBytes(cache.bytes_per_token)}</td><td class="num">${formatBytes(cache.bytes)}</td>
          <td class="num">${timesText(cache.bytes, rows[0].cache.bytes)}</td><td class="num">${formatCount(estimate.parameters)}</td></tr>`
      )}</tbody>
    </table>
  </div>`;
