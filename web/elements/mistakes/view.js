import { html, svg } from 'lit';

/** @typedef {import('./demos.js').Demo} Demo @typedef {import('./demos.js').Side} Side */

const TEXTS = /** @type {Record<string, { title: string, text: string }>} */ ({
  dimension: {
    title: 'Softmax over the wrong dimension',
    text: 'Scores leave the last linear layer as (batch, sequence, 1). Softmax over a dimension of length one returns 1 for every input, so the pooling silently becomes a plain sum and the scorer gets no gradient at all.'
  },
  mask: {
    title: 'Padding not masked',
    text: 'Padding positions have hidden states too, and the scorer gives each a finite score. Without a mask they take their share of every weighted sum, and the result of one sentence depends on how long its neighbours in the batch are.'
  },
  scores: {
    title: 'Scores taken for weights',
    text: 'A score is any real number. Only after softmax are there weights, which are positive and sum to one; pooling with scores gives vectors of arbitrary length and sign.'
  },
  overbuilt: {
    title: 'A scorer that is overbuilt',
    text: 'The width of an additive scorer multiplies everything it costs. The encoder below it has already done most of the work.'
  },
  shapes: {
    title: 'Shapes not checked',
    text: 'Broadcasting lines shapes up from the right. When two lengths happen to be equal, a missing unsqueeze pairs the wrong dimensions and nothing complains. Assert the shape after each step, and test with lengths that all differ.'
  }
});

/** @param {Demo[]} demos */
export const mistakesView = (demos) =>
  demos.map(
    ({ id, wrong, right }, index) => html`
  <article class="mistake" id=${`mistake-${id}`}>
    <h3><span class="ordinal">${index + 1}</span>${TEXTS[id].title}</h3>
    <p>${TEXTS[id].text}</p>
    <div class="sides">${sideView('Wrong', wrong)}${sideView('Right', right)}</div>
  </article>`
  );

/** @param {string} title @param {Side} side */
const sideView = (title, { label, code, values, verdict }) => html`
  <div class=${`side ${title.toLowerCase()}`}>
    <h4>${title}: ${label}</h4>
    <pre><code>${code}</code></pre>
    ${bars(values)}
    <p class="verdict">${verdict}</p>
  </div>`;

/** @param {number[]} values */
function bars(values) {
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values) || 1;
  const place = (/** @type {number} */ value) => ((high - value) / (high - low)) * 100;
  return html`<ol class="bars">${values.map(
    (value) => html`<li>
    <svg aria-hidden="true">${svg`<rect x="0" width="100%" y=${`${Math.min(place(value), place(0))}%`} height=${`${Math.max(Math.abs(place(value) - place(0)), 1)}%`}></rect>`}</svg>
    <span>${Math.abs(value) >= 1000 ? value.toLocaleString('en-US') : value.toFixed(3)}</span></li>`
  )}</ol>`;
}
