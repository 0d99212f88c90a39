// Drawing by Observable Plot. Plot puts a <style> into each figure, which a strict Content-Security-Policy refuses: so
// figures are made in an inert document and lose it before they join the page. Styles are in charts.css. Ticks are
// labelled by `text`, because on a log axis Plot leaves out labels of a `tickFormat` that it finds too many.

import { plot } from '@observablehq/plot';

/** A figure. @param {any} options Plot's */
export function drawn(options) {
  const element = plot({ ...options, document: inertDocument() });
  for (const style of element.querySelectorAll('style')) style.remove();
  element.setAttribute('aria-hidden', 'true');
  return element;
}

/** A document without styles and scripts. Plot also asks it for its window, which is the page's. */
function inertDocument() {
  const inert = document.implementation.createHTMLDocument('');
  return new Proxy(inert, {
    get(target, name) {
      if (name === 'defaultView') return window;
      const value = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    }
  });
}

/**
 * A mark under the name of its `aria-label`: Plot's option of that name is about each of its shapes.
 * @template {object} Mark
 * @param {string} ariaLabel
 * @param {Mark} mark
 */
export const named = (ariaLabel, mark) => Object.assign(mark, { ariaLabel });

/** How a tip looks. */
export const shownTip = { fill: 'var(--panel)', stroke: 'var(--line)' };
