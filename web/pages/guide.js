// The guide, rendered once, at build. Every figure in it is asked from the module, none is typed.

import { html } from 'lit';
import { formatBytes, formatCount } from '../plain/format.js';
import { TITLES } from '../plain/labs/five-mistakes.js';
import { attentionChapters } from './guide-attention.js';
import { timeSteps } from './guide-time-steps.js';
import { fill, present } from './fill.js';

/** @typedef {import('../lib/index.js').Attnscope} Attnscope */

/** @param {Attnscope} scope */
export function guideView(scope) {
  const facts = guideFacts(scope);
  return html`
    <nav class="contents" aria-label="Chapters">
      <h2>On this page</h2>
      ${PARTS.map(({ title, chapters }) => html`<h3>${title}</h3><ol>${chapters.map((chapter) => html`<li><a href=${`#${chapter.id}`}>${chapter.title}</a></li>`)}</ol>`)}
    </nav>
    <div class="chapters">
      ${PARTS.map(
        ({ title: part, chapters }) => html`
        <p class="part">${part}</p>
        ${chapters.map(({ id, title, body }) => html`<section id=${id}><h2>${title}</h2>${body(facts, scope)}</section>`)}`
      )}
    </div>`;
}

/** @typedef {ReturnType<typeof guideFacts>} Facts */
/** @typedef {{ id: string, title: string, body: (facts: Facts, scope: Attnscope) => unknown }} Chapter */

/** @param {Attnscope} scope */
function guideFacts(scope) {
  const linear = scope.estimate({ layer: 'linear_scorer' });
  const additive = scope.estimate({ layer: 'additive_scorer' });
  const without = (/** @type {string} */ layer) => scope.estimate({ layer, bias: false }).parameters;
  const scores = scope.estimate({ layer: 'linear_scorer', output: 'scores' });
  return {
    linear,
    additive,
    scores,
    linearBare: without('linear_scorer'),
    additiveBare: without('additive_scorer'),
    long: scope.estimate({ layer: 'additive_scorer', seq_len: 8192 }),
    half: scope.estimate({ layer: 'additive_scorer', dtype: 'bfloat16' })
  };
}

/** @type {Chapter[]} */
const SCORER_CHAPTERS = [
  {
    id: 'what',
    title: 'What the scorer does',
    body: () => html`
      <p class="lead">An encoder hands over one vector for each position. A classifier wants one vector for the whole
        sequence. The scorer decides how much each position counts on the way from many to one.</p>
      <p>It is a fully connected layer whose output has length one. Applied to a hidden state
        of <code>hidden_size</code> numbers it gives a single number, the <em>score</em>. Softmax over the sequence
        turns the scores of one sequence into <em>weights</em>, positive and summing to one. The weighted sum of the
        hidden states is the pooled vector.</p>
      <dl class="defs">
        <dt>${fill({ layer: 'linear_scorer' }, 'Linear scorer')}</dt><dd><code>nn.Linear(hidden_size, 1)</code>. One
          learned direction; a position scores by how far its hidden state points along it.</dd>
        <dt>${fill({ layer: 'additive_scorer' }, 'Additive scorer')}</dt><dd><code>nn.Linear(hidden_size, attn_dim)</code>, <code>tanh</code>, <code>nn.Linear(attn_dim, 1)</code>. Many directions, each saturating, combined by a second layer: it can say “this or that, but not both”.</dd>
      </dl>
      <p>How is that different from any other dense layer? By where its output goes. A dense layer maps features to
        features and treats every position alike. The scorer's output is compared <em>across</em> positions, by the
        softmax, and then multiplies the hidden states: the layer's product depends on the input twice, once through the
        weights and once through what is weighted. A single dense layer cannot express that, whatever its activation. <a
        href="#time-steps">The shapes of their parameters</a> say the same.</p>`
  },
  {
    id: 'why',
    title: 'Why not plain dot products',
    body: () => html`
      <p>Dot-product attention compares every query with every key. It is the right tool when each position must look
        something up elsewhere, and it is what transformers are made of. A scorer asks a simpler question, how much does
        this position matter for the task, and there is no second position in that question. Use it when</p>
      <ul>
        <li>a sequence has to become one vector: sentence embeddings, document classification, retrieval;</li>
        <li>the encoder is recurrent and the last state alone forgets the beginning;</li>
        <li>a frozen or shared backbone needs a small head of its own, for each task or each modality;</li>
        <li>somebody will want to see which words decided: there is one weight a position and nothing else to interpret,
          though a weight shows what was read, not what would change the answer;</li>
        <li>the sequence is long: cost grows with its length, where comparing all pairs grows with its square.</li>
      </ul>
      <p>When the relevance of a position depends on a question that changes with every example, a query belongs into
        the score. Then either the additive form takes a third term for the query, or dot products do it faster.</p>`
  },
  {
    id: 'shapes',
    title: 'Shapes, one step at a time',
    body: ({ linear, scores }) => html`
      <p>B is the batch, T the sequence, E the hidden size, A the attention dimension. With the defaults of the
        calculator:</p>
      <div class="scroller" tabindex="0" role="group" aria-label="Shapes of each step">
      <table class="table"><thead><tr><th scope="col">Tensor</th><th scope="col">Shape</th><th scope="col">Here</th><th scope="col">Why</th></tr></thead><tbody>
        <tr><th scope="row">hidden_states</th><td>(B, T, E)</td><td>(32, 128, 768)</td><td>from the
          encoder, <code>batch_first=True</code></td></tr>
        <tr><th scope="row">activated</th><td>(B, T, A)</td><td>(32, 128, 128)</td><td>additive only; the largest tensor
          that the scorer makes itself</td></tr>
        <tr><th scope="row">scores</th><td>(B, T, 1)</td><td>(32, 128, 1)</td><td>${formatCount(scores.config.batch_size * scores.config.seq_len)} elements, ${formatBytes(scores.memory.output)} in float32</td></tr>
        <tr><th scope="row">score row</th><td>(B, T)</td><td>(32, 128)</td><td><code>squeeze(-1)</code>; never a
          bare <code>squeeze()</code>, which also drops a batch of one</td></tr>
        <tr><th scope="row">weights</th><td>(B, T)</td><td>(32, 128)</td><td>softmax over T, that
          is <code>dim=1</code></td></tr>
        <tr><th scope="row">output</th><td>(B, E)</td><td>(${linear.output_shape.join(', ')})</td><td>each row an
          average of the 128 hidden states of its sequence</td></tr>
      </tbody></table></div>
      <p>The fully connected layers act on the last dimension only, so batch and sequence pass through them untouched
        and no parameter knows the length of the sequence. The same scorer takes 10 positions or 10,000.</p>`
  },
  {
    id: 'formulas',
    title: 'Parameters and cost',
    body: ({ linear, additive, linearBare, additiveBare }) => html`
      <p>A linear layer from <i>n</i> to <i>m</i> has <i>nm</i> weights and, with bias, <i>m</i> more. Everything
        follows from that:</p>
      <div class="scroller" tabindex="0" role="group" aria-label="Parameter formulas">
      <table class="table"><thead><tr><th scope="col">Scorer</th><th scope="col">Bias</th><th scope="col">Formula</th><th scope="col" class="num">E = 768, A = 128</th></tr></thead><tbody>
        <tr><th scope="row">linear</th><td>yes</td><td>E + 1</td><td class="num">${formatCount(linear.parameters)}</td></tr>
        <tr><th scope="row">linear</th><td>no</td><td>E</td><td class="num">${formatCount(linearBare)}</td></tr>
        <tr><th scope="row">additive</th><td>yes</td><td>E·A + A + A + 1</td><td class="num">${formatCount(additive.parameters)}</td></tr>
        <tr><th scope="row">additive</th><td>no</td><td>E·A + A</td><td class="num">${formatCount(additiveBare)}</td></tr>
      </tbody></table></div>
      <p>Scoring takes B·T·E multiply-accumulates for the linear scorer, ${formatCount(linear.parts.score.macs)} with 32
        sequences of 128, and B·T·(E·A + A) for the additive one, ${formatCount(additive.macs - (additive.parts.combine?.macs ?? 0))}. Pooling adds B·T·E to either. PyTorch's <code>FlopCounterMode</code> reports twice these numbers, two FLOPs a multiply-accumulate, and leaves out bias, tanh and softmax; so does this page. Tools differ here by factors of two and more, so compare only figures that were counted alike.</p>
      <p>The bias of the last layer adds the same number to every score of a sequence, and softmax does not see it: its
        gradient is zero and it can go. It is kept here because <code>nn.Linear</code> has it unless told
        otherwise.</p>`
  },
  {
    id: 'pytorch-how',
    title: 'Writing it in PyTorch',
    body: () => html`
      <p>Five lines do the work. The <a href="../#pytorch">calculator</a> prints them for your sizes, with each shape beside its line and a check
        that PyTorch itself agrees.</p>
      <ol>
        <li><b>Score.</b> <code>scores = self.score(hidden_states)</code> works on the whole batch at once; a loop over
          positions gives the same numbers many times slower.</li>
        <li><b>Drop the last dimension.</b> <code>row = scores.squeeze(-1)</code>, by its number, so that nothing else
          can vanish.</li>
        <li><b>Mask.</b> <code>row = row.masked_fill(~mask, -torch.inf)</code>, before softmax. Minus infinity and
          not −10,000: a large number is only large until a score is larger, and a row masked with it from end to end
          quietly becomes the average of its padding.</li>
        <li><b>Normalize.</b> <code>weights = row.softmax(dim=1)</code>.</li>
        <li><b>Combine.</b> <code>output = torch.einsum('bt,bte->be', weights, hidden_states)</code>,
          or <code>torch.bmm(weights.unsqueeze(1), hidden_states).squeeze(1)</code>: one batched matrix product, without
          the (B, T, E) intermediate that <code>(weights.unsqueeze(-1) * hidden_states).sum(1)</code> writes and
          autograd keeps.</li>
      </ol>
      <p>Dropout on the weights, if you want it, goes between the last two lines, and only in training.</p>`
  },
  {
    id: 'masks',
    title: 'Masks of a scorer',
    body: () => html`
      <p>A mask of shape (B, T) says which positions may be attended. attnscope
        follows <code>F.scaled_dot_product_attention</code>:</p>
      <dl class="defs">
        <dt>boolean</dt><dd><code>True</code> means <em>may attend</em>. Masked positions get weight 0 exactly.</dd>
        <dt>float</dt><dd>is added to the scores before softmax. Minus infinity masks; finite values make a position
          more or less likely.</dd>
      </dl>
      <p class="warn"><b>The other convention.</b> <code>key_padding_mask</code> of <code>nn.MultiheadAttention</code> means the opposite: <code>True</code> is <em>ignored</em>. Hugging Face tokenizers return an <code>attention_mask</code> of 1 for tokens and 0 for padding, so <code>attention_mask.bool()</code> fits here, and its inverse fits there.</p>
      <p>A sequence whose positions are all masked has no average. Softmax of a row of minus infinities is NaN, and one
        NaN spreads through the whole batch at the next gradient step. The module gives zeros for such a row, as
        PyTorch's own attention does since version 2.5, and the printed code does the same.</p>
      <p>On the page <a href="../run/">Run</a>, drag across the heat map to mask cells, by touch once <em>Paint</em> is chosen, and watch the
        rest of the row take over their weight.</p>`
  },
  {
    id: 'mistakes',
    title: 'Five common mistakes',
    body: () => html`
      <p>None of these raises an error. A lab executes each of them, the wrong way and the right way:</p>
      <ol>${Object.entries(TITLES).map(
        ([id, { title, text }]) =>
          html`<li><b><a href=${`../labs/five-mistakes/?mistake=${id}`}>${title}</a>.</b> ${text}</li>`
      )}</ol>`
  },
  {
    id: 'which',
    title: 'When linear is enough, when additive pays',
    body: ({ linear, additive }) => html`
      <p>Start linear. On top of a pretrained transformer the hidden states have been through a dozen layers of
        attention; what makes a position important is usually a direction in that space already, and one vector finds
        it. It has ${formatCount(linear.parameters)} parameters and hardly any way to overfit.</p>
      <p>Additive pays, with its ${formatCount(additive.parameters)}, where one direction is not enough:</p>
      <ul>
        <li>the encoder is shallow, a single recurrent or convolutional layer, or plain embeddings;</li>
        <li>importance is an either-or of several features, which a single linear score cannot express;</li>
        <li>the domain is far from what the backbone was trained on, and the backbone is frozen.</li>
      </ul>
      <p>Then take a width of 64 or 128, and compare on held-out data with several seeds: differences between scorers are often smaller than differences between seeds. If doubling the width moves nothing, halve it. If mean pooling comes within noise of both, keep mean pooling.</p>`
  }
];

/** @type {Chapter[]} */
const PRACTICE_CHAPTERS = [
  {
    id: 'precision',
    title: 'Precision and memory',
    body: ({ additive, half, long, scores }) => html`
      <p>Parameters are the least of it. For the additive scorer at its defaults they take ${formatBytes(additive.memory.parameters)}, the hidden states that come in ${formatBytes(additive.memory.inputs)}, and the scores ${formatBytes(scores.memory.output)}. Training keeps ${formatBytes(present(additive.memory.saved_for_backward))} for the backward pass; at a length of 8,192 that is ${formatBytes(present(long.memory.saved_for_backward))}. In bfloat16 all of it halves, to ${formatBytes(present(half.memory.saved_for_backward))} at the default length.</p>
      <ul>
        <li><b>Run the softmax in float32.</b> Autocast does. In float16 a score above 65,504 is infinite and a weight below 3 × 10⁻⁸ is zero.</li>
        <li><b>bfloat16 has two to three significant digits.</b> Enough for weights that will be averaged; not enough to add up thousands of them, so the sum must be kept wider, as matrix-product units do.</li>
        <li><b>int8 is for inference.</b> Calibrate the scale on real hidden states: a few outlying features often have ten times the range of the rest.</li>
        <li><b>Save before you shrink.</b> Checkpointing recomputes tanh instead of keeping it and costs one more forward pass of a layer that is cheap to recompute.</li>
      </ul>
      <p>The page <a href="../run/">Run</a> measures what rounding does: choose a format and run, and it reports the error against float32 for your sizes.</p>`
  },
  {
    id: 'practice',
    title: 'Profiling and deployment',
    body: () => html`
      <ul>
        <li><b>Know the bound.</b> The linear scorer reads each hidden state to do one multiply-accumulate with each number: memory sets its speed, on every machine. The additive scorer does A of them for each number read, and arithmetic does. The Run panel prints which, and how far from the bound it ran.</li>
        <li><b>Warm up, then take a median.</b> The first call allocates and compiles. On a GPU, wait for the device (<code>torch.cuda.synchronize()</code>) before both readings of the clock.</li>
        <li><b>Profile the encoder first.</b> Next to BERT base the scorer's share of a forward pass is a fraction of a percent.</li>
        <li><b>Fuse what is small.</b> Score, softmax and weighted sum read the hidden states twice; <code>torch.compile</code> joins the element-wise parts, and one pass with a running maximum joins all three (Milakov and Gimelshein 2018).</li>
        <li><b>Batch by length.</b> A position that is padded away is paid for in full. Sorting by length before batching often saves more than any kernel.</li>
        <li><b>Export with a dynamic length.</b> No parameter depends on T; declare the dimension dynamic in <code>torch.export</code> or ONNX, and test the exported model at two lengths and with a masked row.</li>
      </ul>`
  },
  {
    id: 'reading',
    title: 'Further reading',
    body: () =>
      html`<ul class="papers">${PAPERS.map(
        ({ authors, year, title, link, note }) => html`
      <li><span>${authors} (${year}).</span> <a href=${link} rel="noopener">${title}</a>. <span class="note">${note}</span></li>`
      )}</ul>`
  }
];

const PARTS = [
  { title: 'Scorers', chapters: [...SCORER_CHAPTERS, timeSteps] },
  { title: 'Attention between positions', chapters: attentionChapters },
  { title: 'In practice', chapters: PRACTICE_CHAPTERS }
];

const PAPERS = [
  {
    authors: 'Bahdanau, Cho, Bengio',
    year: 2015,
    title: 'Neural Machine Translation by Jointly Learning to Align and Translate',
    link: 'https://arxiv.org/abs/1409.0473',
    note: 'The additive score, with a query.'
  },
  {
    authors: 'Luong, Pham, Manning',
    year: 2015,
    title: 'Effective Approaches to Attention-based Neural Machine Translation',
    link: 'https://arxiv.org/abs/1508.04025',
    note: 'Dot, general and concatenated scores side by side.'
  },
  {
    authors: 'Yang et al.',
    year: 2016,
    title: 'Hierarchical Attention Networks for Document Classification',
    link: 'https://aclanthology.org/N16-1174/',
    note: 'The scorer of this page: additive, without a query that changes.'
  },
  {
    authors: 'Lin et al.',
    year: 2017,
    title: 'A Structured Self-Attentive Sentence Embedding',
    link: 'https://arxiv.org/abs/1703.03130',
    note: 'Several scores a position, so several pooled vectors.'
  },
  {
    authors: 'Vaswani et al.',
    year: 2017,
    title: 'Attention Is All You Need',
    link: 'https://arxiv.org/abs/1706.03762',
    note: 'Scaled dot products, many heads, and why they are scaled.'
  },
  {
    authors: 'Shazeer',
    year: 2019,
    title: 'Fast Transformer Decoding: One Write-Head is All You Need',
    link: 'https://arxiv.org/abs/1911.02150',
    note: 'Multi-query attention: one head of keys for all.'
  },
  {
    authors: 'Ainslie et al.',
    year: 2023,
    title: 'GQA: Training Generalized Multi-Query Transformer Models',
    link: 'https://arxiv.org/abs/2305.13245',
    note: 'Grouped queries, the way between.'
  },
  {
    authors: 'DeepSeek-AI',
    year: 2024,
    title: 'DeepSeek-V2',
    link: 'https://arxiv.org/abs/2405.04434',
    note: 'Latent attention.'
  },
  {
    authors: 'Beltagy, Peters, Cohan',
    year: 2020,
    title: 'Longformer: The Long-Document Transformer',
    link: 'https://arxiv.org/abs/2004.05150',
    note: 'Windows, and what they still reach.'
  },
  {
    authors: 'Su et al.',
    year: 2021,
    title: 'RoFormer: Enhanced Transformer with Rotary Position Embedding',
    link: 'https://arxiv.org/abs/2104.09864',
    note: 'Rotary positions.'
  },
  {
    authors: 'Press, Smith, Lewis',
    year: 2022,
    title: 'Train Short, Test Long: Attention with Linear Biases',
    link: 'https://arxiv.org/abs/2108.12409',
    note: 'ALiBi.'
  },
  {
    authors: 'Raffel et al.',
    year: 2020,
    title: 'Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer',
    link: 'https://arxiv.org/abs/1910.10683',
    note: 'Relative biases in buckets, in T5.'
  },
  {
    authors: 'Jain, Wallace',
    year: 2019,
    title: 'Attention is not Explanation',
    link: 'https://arxiv.org/abs/1902.10186',
    note: 'Read before showing weights to a user.'
  },
  {
    authors: 'Wiegreffe, Pinter',
    year: 2019,
    title: 'Attention is not not Explanation',
    link: 'https://arxiv.org/abs/1908.04626',
    note: 'Read right after.'
  },
  {
    authors: 'Milakov, Gimelshein',
    year: 2018,
    title: 'Online normalizer calculation for softmax',
    link: 'https://arxiv.org/abs/1805.02867',
    note: 'Softmax in one pass.'
  },
  {
    authors: 'Micikevicius et al.',
    year: 2018,
    title: 'Mixed Precision Training',
    link: 'https://arxiv.org/abs/1710.03740',
    note: 'What must stay in float32, and loss scaling.'
  }
];
