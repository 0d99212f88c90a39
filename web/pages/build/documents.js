// The files of docs/ that stand in the guide, as HTML: made once, at build, from the Markdown in the repository, so
// that both say the same.

import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import hljs from 'highlight.js/lib/common';
import { html } from 'lit';
import { unsafeHTML } from 'lit/directives/unsafe-html.js';
import { Marked } from 'marked';

const project = fileURLToPath(new URL('../../..', import.meta.url));

/** The folder of the page that has a document. @type {Record<string, string>} */
const FOLDERS = {
  'docs/counting.md': 'guide/conventions/',
  'docs/javascript.md': 'guide/api/',
  'docs/training.md': 'guide/training/',
  'docs/pages.md': 'guide/embedding/',
  'docs/speed.md': 'speed/'
};

/** Where a document stands in the site. @param {string} file the page's, such as `guide/api/index.html` */
const documentOf = (file) => Object.keys(FOLDERS).find((name) => `${FOLDERS[name]}index.html` === file) ?? '';

/** `Between the steps` is found at #between-the-steps. @param {string} text */
const idOf = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');

/**
 * A document in parts: what stands above its first heading of the second level goes into the page's title.
 * @param {string} file the page's
 * @param {string} root the way to the site's first page
 */
export function documentView(file, root) {
  const name = documentOf(file);
  /** @type {{ id: string, title: string }[]} */
  const headings = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const text = this.parser.parseInline(tokens);
        if (depth === 1) return '';
        const id = idOf(text);
        if (depth === 2) headings.push({ id, title: text });
        return `<h${depth} id="${id}">${text}</h${depth}>`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        return `<a href="${targetOf(href, name, root)}">${text}</a>`;
      },
      code({ text, lang }) {
        const language = lang && hljs.getLanguage(lang) ? lang : 'plaintext';
        return `<pre class="code" tabindex="0" role="group" aria-label="Example"><code>${hljs.highlight(text, { language }).value}</code></pre>`;
      },
      table({ header, rows }) {
        const cells = (/** @type {any[]} */ row, /** @type {string} */ tag) =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        return `<div class="scroller" tabindex="0" role="group" aria-label="Table"><table class="table"><thead>${cells(header, 'th')}</thead><tbody>${rows.map((row) => cells(row, 'td')).join('')}</tbody></table></div>`;
      }
    }
  });
  const text = readFileSync(join(project, name), 'utf8');
  const body = /** @type {string} */ (marked.parse(text));
  if (!headings.length) throw new Error(`${name} has no heading, so its page would have contents without an entry`);
  return html`
    <nav class="contents" aria-label="On this page">
      <h2>On this page</h2>
      <ol>${headings.map(({ id, title }) => html`<li><a href=${`#${id}`}>${unsafeHTML(title)}</a></li>`)}</ol>
    </nav>
    <div class="chapters document">${unsafeHTML(body)}</div>`;
}

/**
 * A link of a document, in the site.
 * @param {string} href @param {string} from the document @param {string} root
 */
function targetOf(href, from, root) {
  if (/^(https?:|#)/.test(href)) return href;
  const [path, hash] = href.split('#');
  const folder = FOLDERS[normalize(join(dirname(from), path))];
  if (!folder) throw new Error(`${from} links to ${href}, which is no page of the site`);
  return `${root}${folder}${hash ? `#${hash}` : ''}`;
}
