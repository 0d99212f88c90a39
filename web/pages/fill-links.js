import { readSearch } from '../elements/calculator/url.js';

/** @typedef {import('../elements/calculator/calculator.js').AttnscopeCalculator} Calculator */

/**
 * A click on a link of the guide fills the form where it stands, and shows it.
 * @param {Element} guide
 * @param {Calculator} calculator
 */
export function bindFillLinks(guide, calculator) {
  guide.addEventListener('click', (event) => {
    const { target, ctrlKey, metaKey, shiftKey } = /** @type {MouseEvent} */ (event);
    const link = /** @type {HTMLAnchorElement | null} */ (/** @type {Element} */ (target).closest('a.fill'));
    if (!link || ctrlKey || metaKey || shiftKey || !calculator.fill(readSearch(link.search))) return;
    event.preventDefault();
    document.getElementById('calculator')?.scrollIntoView();
    /** @type {HTMLElement | null} */ (document.getElementById('field-layer'))?.focus({ preventScroll: true });
  });
}
