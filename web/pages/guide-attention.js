// The guide's chapters on attention between positions. Every figure is asked from the module.

import { html, svg } from 'lit';
import { formatBytes, formatCount, formatList } from '../plain/format.js';
import { pageWorkloads } from '../plain/workloads.js';
import { fill, present } from './fill.js';

/** @typedef {import('../lib/index.js').Attnscope} Attnscope */
/** @typedef {import('./guide.js').Chapter} Chapter */

const heads = (/** @type {number} */ num_heads) => ({
  layer: 'multihead_attention',
  batch_size: 2,
  seq_len: 10,
  hidden_size: 128,
  num_heads
});
const pairs = { layer: 'bahdanau_attention' };
const dots = { layer: 'luong_attention', score: 'dot' };
const llama = {
  layer: 'decoder',
  batch_size: 1,
  seq_len: 1,
  past_len: 8191,
  vocab_size: 128256,
  max_positions: 8192,
  hidden_size: 4096,
  num_layers: 32,
  num_heads: 32,
  num_kv_heads: 8,
  intermediate_size: 14336,
  rope_theta: 500000,
  dtype: 'bfloat16'
};
const deepseek = {
  layer: 'latent_attention',
  batch_size: 1,
  seq_len: 1,
  past_len: 8191,
  hidden_size: 7168,
  num_heads: 128,
  q_lora_rank: 1536,
  kv_lora_rank: 512,
  qk_nope_head_dim: 128,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  dtype: 'bfloat16'
};
const deepseekHeads = {
  layer: 'grouped_query_attention',
  batch_size: 1,
  seq_len: 1,
  past_len: 8191,
  hidden_size: 7168,
  num_heads: 128,
  num_kv_heads: 128,
  head_dim: 128,
  dtype: 'bfloat16'
};

/** @type {Chapter[]} */
export const attentionChapters = [
  {
    id: 'heads',
    title: 'Why several heads',
    body: (_facts, scope) => {
      const [one, eight] = [heads(1), heads(8)].map((config) => scope.estimate(config));
      return html`
        <p>One head gives each query one row of weights, so it can look for one thing at a time. Heads split the
          features instead of adding any: ${fill(heads(1), 'one head of 128')} and ${fill(heads(8), 'eight of 16')} have
          the same ${formatCount(one.parameters)} parameters${one.parameters === eight.parameters ? '' : ` and ${formatCount(eight.parameters)}`} and ${one.macs === eight.macs ? 'the same' : `${formatCount(eight.macs)} against`} ${formatCount(one.macs)} MACs. What grows is the weights, from ${formatList(one.shapes.weights)} to ${formatList(eight.shapes.weights)}: eight opinions on who should look where, each from 16 features.</p>
        <p>The price of a narrow head is a coarse score. Below some 32 features a head can hardly tell positions apart;
          64 to 128 is what published models use. Run either and look at all heads side by side.</p>`;
    }
  },
  {
    id: 'seen',
    title: 'Which positions a query sees',
    body: (_facts, scope) => html`
      <p>A mask of (T, S) has a row for each query and a column for each key; one of (B, H, T, S) says it for each
        sequence and head. Two patterns are so common that layers know them without a tensor: <code>is_causal</code>, no
        key that comes later, and <code>window</code>, none that is further away than that.</p>
      <p>With as many queries as keys there is one way to draw the causal line. With fewer queries, as when decoding
        with a cache, there are two, and taking the wrong one is silent:</p>
      <div class="patterns">
        ${pattern(scope, 'Upper left', { is_causal: true }, 'The first query stands at the first key: is_causal of PyTorch.')}
        ${pattern(scope, 'Lower right', { is_causal: true, causal_alignment: 'lower_right' }, 'The last query stands at the last key: what decoding needs.')}
        ${pattern(scope, 'Window of 2', { is_causal: true, causal_alignment: 'lower_right', window: 2 }, 'Each query sees itself and the one before it.')}
      </div>
      <p>A window does not end the reach of a model: through L layers a position draws on L windows. A query that sees
        no key at all gives zeros.</p>
      ${causalFlops(scope)}`
  },
  {
    id: 'pairs',
    title: 'Additive attention, and what pairs cost',
    body: (_facts, scope) => {
      const [additive, dot] = [scope.estimate(pairs), scope.estimate(dots)];
      const { activated } = additive.shapes;
      return html`
        <p>Bahdanau's score puts a small network on every <em>pair</em>: project the query, project the key, add, tanh,
          and down to one number. The projections are cheap; the sum is not. It is a tensor of B × T × S × A,
          here ${formatList(activated)}, ${formatCount(activated.reduce((/** @type {number} */ product, /** @type {number} */ length) => product * length, 1))} numbers, and ${fill(pairs, 'additive attention')} needs ${formatBytes(additive.memory.activations_peak)} at its peak where ${fill(dots, 'plain dot products')} need ${formatBytes(dot.memory.activations_peak)}.</p>
        <p>It came from translation with one query at a time, T = 1, where that is
          small: ${fill({ ...pairs, seq_len: 1 }, 'one query')} has a peak of ${formatBytes(scope.estimate({ ...pairs, seq_len: 1 }).memory.activations_peak)}. Luong's <code>general</code> score keeps a learned matrix between query and key and stays a matrix product.</p>`;
    }
  },
  {
    id: 'grouped',
    title: 'Grouped queries and the KV cache',
    body: (_facts, scope) => {
      const shared = present(scope.estimate(llama).kv_cache);
      const own = present(scope.estimate({ ...llama, num_kv_heads: 32 }).kv_cache);
      return html`
        <p>A decoder makes one token at a time. The keys and values of all tokens before do not change, so they are
          kept: for each layer and each head of keys, <code>head_dim</code> numbers twice. Reading that cache, not
          arithmetic, is what a long conversation waits for.</p>
        <p>Grouped queries let several heads of queries share one of keys and
          values. ${fill(llama, 'Llama-3-8B at 8,192 positions')} keeps ${formatBytes(shared.bytes_per_token)} of a
          token and ${formatBytes(shared.bytes_per_sequence)} of a sequence; with a head of keys for each of its 32 of
          queries it would be ${formatBytes(own.bytes_per_sequence)}. Multi-query attention, one head of keys for all,
          is the far end. A window caps the number of positions instead. The <a href="../models/#kv-cache">table of caches</a> sets
          them side by side in the sizes of your layer.</p>`;
    }
  },
  {
    id: 'latent',
    title: 'Latent attention',
    body: (_facts, scope) => {
      const latent = scope.estimate(deepseek);
      const [kept, keptByHeads] = [latent, scope.estimate(deepseekHeads)].map(({ kv_cache }) => present(kv_cache));
      const regrown = latent.steps.find(({ name }) => name === 'kv_b_proj')?.macs ?? 0;
      return html`
        <p>Instead of sharing heads, compress them. ${fill(deepseek, 'Latent attention in the sizes of DeepSeek-V3')} keeps one vector of ${deepseek.kv_lora_rank} numbers of a position, from which every head's keys and values grow, and ${deepseek.qk_rope_head_dim} that carry the position, which a rotation would otherwise mix into them: ${formatCount(kept.bytes_per_token)} bytes of a token and layer. ${fill(deepseekHeads, 'Its 128 heads')} with keys and values of their own would keep ${formatCount(keptByHeads.bytes_per_token)}, ${(keptByHeads.bytes_per_token / kept.bytes_per_token).toFixed(0)} times that.</p>
        <p>The price is growing them again: at 8,192 positions ${formatCount(regrown)} of the
          step's ${formatCount(latent.macs)} MACs. Serving code folds that matrix into the queries and the output
          projection, which leaves the result and the cache as they are.</p>`;
    }
  },
  {
    id: 'positions',
    title: 'How positions are told apart',
    body: (_facts, scope) => {
      const config = (/** @type {string} */ position) => ({ layer: 'decoder', position });
      const none = scope.estimate(config('none')).parameters;
      return html`
        <p>Attention itself does not know order: shuffle the keys together with their values and nothing changes.
          Positions come in by one of these doors. Parameters are those of a decoder of the default sizes:</p>
        <div class="scroller" tabindex="0" role="group" aria-label="Kinds of positions">
        <table class="table"><thead><tr><th scope="col">Position</th><th scope="col">Where</th><th scope="col">What
          follows</th><th scope="col" class="num">Parameters</th></tr></thead><tbody>
          ${POSITIONS.map(
            ({
              position,
              where,
              follows
            }) => html`<tr><th scope="row">${fill(config(position), position)}</th><td>${where}</td><td class="use">${follows}</td>
            <td class="num">${formatCount(scope.estimate(config(position)).parameters - none)}</td></tr>`
          )}
        </tbody></table></div>`;
    }
  }
];

const POSITIONS = [
  {
    position: 'learned',
    where: 'added to the input',
    follows: 'a vector for each position up to max_positions, and none after it'
  },
  {
    position: 'sinusoidal',
    where: 'added to the input',
    follows: 'fixed waves of many lengths; nothing to learn, any length'
  },
  {
    position: 'rope',
    where: 'turns queries and keys',
    follows: 'the score depends on the distance alone; rope_theta sets the longest wave'
  },
  {
    position: 'alibi',
    where: 'subtracted from the scores',
    follows: 'a penalty that grows with distance, steeper in some heads; holds beyond the trained length'
  },
  {
    position: 'relative',
    where: 'added to the scores',
    follows: 'a learned bias for each head and range of distances, as in T5'
  }
];

const CAUSAL = 'attention 12x64, S 512, causal';

/** Whether hidden scores count: the calculator and the speed page differ. @param {Attnscope} scope */
function causalFlops(scope) {
  const {
    config,
    flops,
    sizes: { S }
  } = /** @type {import('../plain/workloads.js').Workload} */ (pageWorkloads.find(({ name }) => name === CAUSAL));
  return html`
    <p id="causal-flops"><b>What a mask hides is counted.</b> The calculator gives the FLOPs of all T × S scores, as
      PyTorch's <code>FlopCounterMode</code> does, whatever a mask then hides: ${formatCount(scope.estimate(config).flops)} for ${fill(config, `12 causal heads at ${S} positions`)}. No query needs the keys after it, so S(S + 1)/2 of the S² scores are enough, and attnscope's kernels, like FlashAttention's, skip most of the others. A rate in FLOP/s that counted them could pass what the machine reaches. The <a href="../speed/">speed page</a> therefore counts half, here ${formatCount(flops)}, as FlashAttention's benchmarks do.</p>`;
}

const QUERIES = 3;
const KEYS = 5;
const CELL = 20;

/**
 * Which keys three queries see of five, from the weights that the module gives them.
 * @param {Attnscope} scope
 * @param {string} title
 * @param {Record<string, unknown>} values
 * @param {string} text
 */
function pattern(scope, title, values, text) {
  const config = {
    layer: 'scaled_dot_product_attention',
    batch_size: 1,
    num_heads: 1,
    seq_len: QUERIES,
    kv_len: KEYS,
    head_dim: 1,
    ...values
  };
  const model = scope.create(config);
  const tensor = (/** @type {number} */ length) => ({ data: new Float32Array(length), shape: [1, 1, length, 1] });
  const weights = present(model.forward({ query: tensor(QUERIES), key: tensor(KEYS), value: tensor(KEYS) }).weights);
  model.dispose();
  const seen = Array.from({ length: QUERIES }, (_, row) =>
    weights.data
      .subarray(row * KEYS, (row + 1) * KEYS)
      .reduce((/** @type {number} */ count, /** @type {number} */ weight) => count + Number(weight > 0), 0)
  );
  const cells = Array.from(
    weights.data,
    (weight, at) =>
      svg`<rect class=${weight > 0 ? 'seen' : 'unseen'} x=${(at % KEYS) * CELL + 1} y=${Math.floor(at / KEYS) * CELL + 1} width=${CELL - 2} height=${CELL - 2} rx="2"></rect>`
  );
  return html`<figure class="pattern">
    <svg viewBox=${`0 0 ${KEYS * CELL} ${QUERIES * CELL}`} width=${KEYS * CELL} height=${QUERIES * CELL} role="img"
      aria-label=${`${title}: the ${QUERIES} queries see ${seen.join(', ')} of ${KEYS} keys`}>${cells}</svg>
    <figcaption><b>${fill(config, title)}</b> ${text}</figcaption></figure>`;
}
