// Python with syntax colours, as template parts: highlight.js writes HTML, which is parsed here and rebuilt, so that no
// string becomes markup on the page.

import hljs from 'highlight.js/lib/core';
import python from 'highlight.js/lib/languages/python';

hljs.registerLanguage('python', python);

/** @param {string} source @returns {DocumentFragment} */
export function highlightPython(source) {
  const parsed = new DOMParser().parseFromString(hljs.highlight(source, { language: 'python' }).value, 'text/html');
  const fragment = document.createDocumentFragment();
  fragment.append(...parsed.body.childNodes);
  return fragment;
}
