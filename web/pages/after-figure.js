/** Seconds that a page's elements have to show their first figure; WebAssembly may be forbidden here. */
const LIMIT = 10;

/**
 * Resolves when each element of the page has replaced its static HTML, or has failed to, and the browser is idle: what
 * the first figure does not need loads then, and does not share a slow line with it.
 */
export async function afterFigure() {
  await Promise.race([Promise.all(elements().map(live)), seconds(LIMIT)]);
  if ('requestIdleCallback' in globalThis) await new Promise((resolve) => requestIdleCallback(resolve));
}

/** The elements of attnscope in a page that are no part of another. */
const elements = () =>
  [...document.querySelectorAll('*')].filter(
    ({ localName, parentElement }) => isOurs(localName) && !hasOurs(parentElement)
  );

const isOurs = (/** @type {string} */ name) => name.startsWith('attnscope-');

/** Whether an element or one around it is of attnscope. @param {Element | null} element @returns {boolean} */
const hasOurs = (element) => element !== null && (isOurs(element.localName) || hasOurs(element.parentElement));

/** Resolves when an element has rendered. @param {Element} element */
async function live(element) {
  await customElements.whenDefined(element.localName);
  const rendered = /** @type {import('lit').LitElement} */ (element);
  if (rendered.hasUpdated) return;
  await new Promise((resolve) => rendered.addController({ hostUpdated: () => resolve(undefined) }));
}

const seconds = (/** @type {number} */ count) => new Promise((resolve) => setTimeout(resolve, 1000 * count));
