// Python with syntax colours, as nodes: what highlight.js writes is taken apart here, so that no string becomes markup
// on the page, which may allow that to none (Trusted Types).

import hljs from 'highlight.js/lib/core';
import python from 'highlight.js/lib/languages/python';

hljs.registerLanguage('python', python);

/** Highlight.js writes nothing but spans with a class, text, and these. @type {Record<string, string>} */
const ENTITIES = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#x27;': "'" };

/** @param {string} source @returns {DocumentFragment} */
export function highlightPython(source) {
  const fragment = document.createDocumentFragment();
  /** @type {(Element | DocumentFragment)[]} The spans that are open, the innermost last. */
  const open = [fragment];
  for (const piece of hljs.highlight(source, { language: 'python' }).value.split(/(<[^>]*>)/)) {
    const name = /^<span class="([^"]*)">$/.exec(piece)?.[1];
    if (name !== undefined) {
      const span = Object.assign(document.createElement('span'), { className: name });
      open[open.length - 1].append(span);
      open.push(span);
    } else if (piece === '</span>') open.pop();
    else open[open.length - 1].append(piece.replace(/&[^;]+;/g, (entity) => ENTITIES[entity] ?? entity));
  }
  return fragment;
}
