// The layer that one is at travels from page to page: links of the site take it along in their address. No module is
// waited for: where something has been chosen on a page that is not live yet, its calculator is told what (it looks for
// `data-clicked`), and a link waits until the choice is in the address.
(() => {
  /** What pages whose own settings fill their address, those of training and of the labs, call the layer's part. */
  const LAYER = 'from';
  const LINKS = '.doors a, .subnav a, .brand, .lab-cards a, .lab-ways a, .lab-crumb a, .chip-group a';

  const hasSettings = (pathname) => /\/(train|labs)\//.test(pathname);

  /** @param {string} pathname of the page that a link leads to */
  function searchFor(pathname) {
    if (pathname === location.pathname) return location.search;
    const isOwn = hasSettings(location.pathname);
    const layer = isOwn ? (new URLSearchParams(location.search).get(LAYER) ?? '') : location.search.slice(1);
    if (!hasSettings(pathname)) return layer;
    return layer ? String(new URLSearchParams({ [LAYER]: layer })) : '';
  }

  // Before a link is followed, copied or opened elsewhere.
  for (const kind of ['pointerdown', 'focusin', 'click', 'contextmenu'])
    document.addEventListener(kind, ({ target }) => {
      const link = target instanceof Element && target.closest(LINKS);
      if (link) link.search = searchFor(link.pathname);
    });

  let chosen = 0;
  let waiting = false;

  /** The page's calculator while it is static HTML. */
  const notLive = () => [...document.querySelectorAll('attnscope-calculator[address]')].find(({ store }) => !store);

  document.addEventListener('input', ({ target }) => {
    if (notLive()?.contains(target)) chosen += 1;
  });

  const isPlain = ({ button, altKey, ctrlKey, metaKey, shiftKey }) =>
    button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey;

  document.addEventListener('click', (event) => {
    const calculator = notLive();
    if (!calculator || !(event.target instanceof Element)) return;
    const button = event.target.closest('button');
    if (button && calculator.contains(button)) {
      chosen += 1;
      button.dataset.clicked = String(chosen);
    }
    const link = event.target.closest(LINKS);
    if (!link || !chosen || waiting || !isPlain(event)) return; // a second click does not wait
    waiting = true;
    event.preventDefault();
    calculator.addEventListener('live', () => link.click(), { once: true });
  });
})();
