// The layer that one is at travels from page to page: links of the site take it along in their address.

/** What the training page, whose own settings fill its address, calls the layer's part. */
const LAYER = 'from';

/** Adds the layer to a link before it is followed, copied or opened elsewhere. */
export function bindDoors() {
  for (const kind of ['pointerdown', 'focusin', 'click', 'contextmenu'])
    document.addEventListener(kind, ({ target }) => {
      const link = /** @type {HTMLAnchorElement | null} */ (
        target instanceof Element ? target.closest('.doors a, .subnav a, .brand') : null
      );
      if (link) link.search = searchFor(link.pathname);
    });
}

/** @param {string} pathname of the page that a link leads to */
function searchFor(pathname) {
  const here = new URLSearchParams(location.search);
  const isTraining = isTrain(location.pathname);
  const layer = isTraining ? (here.get(LAYER) ?? '') : location.search.slice(1);
  if (!isTrain(pathname)) return layer;
  if (isTraining) return location.search;
  return layer ? String(new URLSearchParams({ [LAYER]: layer })) : '';
}

const isTrain = (/** @type {string} */ pathname) => /\/train\/(index\.html)?$/.test(pathname);
