// The examples of the page on embedding: each element stands below the lines that make it.

import { html } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';

/** @type {{ title: string, note: string, className: string, style: string, markup: string }[]} */
const EXAMPLES = [
  {
    title: 'One card',
    note: 'The four figures, from 320 × 200 pixels. Two of them share one module.',
    className: 'embedded-cards',
    style: '',
    markup: `<attnscope-calculator panels="answer" layer="linear_scorer"></attnscope-calculator>
<attnscope-calculator panels="answer" layer="multihead_attention"></attnscope-calculator>`
  },
  {
    title: 'Form and answer, in your colours',
    note: 'Custom properties pass into the element, and its parts take rules of their own.',
    className: 'embedded-own',
    style: `.embedded-own attnscope-calculator {
  --accent: #6d3fc4;
  --accent-text: #5b2fb0;
  --accent-soft: #f0eafb;
  --radius: 2px;
}
.embedded-own attnscope-calculator::part(figure) { border-color: #6d3fc4; }
`,
    markup: `<attnscope-calculator panels="form answer" theme="light" layer="additive_scorer"></attnscope-calculator>`
  },
  {
    title: 'Steps of a layer, dark',
    note: 'Any panels, in any order of words; a theme that stays whatever the system says.',
    className: 'embedded-steps',
    style: '',
    markup: `<attnscope-calculator panels="answer steps" theme="dark" layer="self_attention"></attnscope-calculator>`
  }
];

export const embeddedView = () => html`
  ${EXAMPLES.map(
    ({ title, note, className, style, markup }) => html`
    <figure class="example">
      <figcaption><b>${title}.</b> ${note}</figcaption>
      <pre class="code" tabindex="0" role="group" aria-label=${`Markup of: ${title}`}><code>${style && `<style>\n${style}</style>\n`}${markup}</code></pre>
      <div class=${className}>${unsafeHTML(markup)}</div>
    </figure>`
  )}
  <noscript><p class="note page-note">The element needs JavaScript and WebAssembly.</p></noscript>`;
