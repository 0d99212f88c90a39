// The layer that one is at travels from page to page: links of the site take it along in their address.

/** What pages whose own settings fill their address, those of training and of the labs, call the layer's part. */
const LAYER = 'from';
const LINKS = '.doors a, .subnav a, .brand, .lab-cards a, .lab-ways a, .lab-crumb a';

/** Adds the layer to a link before it is followed, copied or opened elsewhere. */
export function bindDoors() {
  for (const kind of ['pointerdown', 'focusin', 'click', 'contextmenu'])
    document.addEventListener(kind, ({ target }) => {
      const link = /** @type {HTMLAnchorElement | null} */ (target instanceof Element ? target.closest(LINKS) : null);
      if (link) link.search = searchFor(link.pathname);
    });
}

/** @param {string} pathname of the page that a link leads to */
function searchFor(pathname) {
  if (pathname === location.pathname) return location.search;
  const isOwn = hasSettings(location.pathname);
  const layer = isOwn ? (new URLSearchParams(location.search).get(LAYER) ?? '') : location.search.slice(1);
  if (!hasSettings(pathname)) return layer;
  return layer ? String(new URLSearchParams({ [LAYER]: layer })) : '';
}

const hasSettings = (/** @type {string} */ pathname) => /\/(train|labs)\//.test(pathname);
