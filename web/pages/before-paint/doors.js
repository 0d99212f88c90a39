// The layer that one is at travels from page to page: links of the site take it along in their address. No module is
// waited for: where something has been chosen on a page that is not live yet, its calculator is told what, and a link
// waits until the choice is in the address. Buttons that are pressed on static HTML keep in `data-clicked` when that
// was; the element presses them once it is live.

/** What pages whose own settings fill their address, those of training and of the labs, call the layer's part. */
const LAYER = 'from';
const LINKS = '.doors a, .subnav a, .brand, .lab-cards a, .lab-ways a, .lab-crumb a, .chip-group a';

/** @param {Element} element @returns {HTMLAnchorElement | null} */
const closestLink = (element) => element.closest(LINKS);

const hasSettings = (/** @type {string} */ pathname) => /\/(train|labs)\//.test(pathname);

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
    const link = target instanceof Element && closestLink(target);
    if (link) link.search = searchFor(link.pathname);
  });

/** Presses and changes on the static page so far. */
let chosen = 0;
let waiting = false;

const CALCULATOR = 'attnscope-calculator[address]';
/** What replaces static HTML that has buttons. */
const ELEMENTS = `${CALCULATOR}, attnscope-train, attnscope-contest, attnscope-minute, attnscope-speed`;

/** Whether an element of the page still is the HTML that the build has written. */
const isStatic = (/** @type {any} */ element) =>
  element && (element.matches(CALCULATOR) ? !element.store : !element.hasUpdated);

/** The page's calculator while it is static HTML. */
const notLive = () => [...document.querySelectorAll(CALCULATOR)].find(isStatic);

document.addEventListener('input', ({ target }) => {
  if (target instanceof Node && notLive()?.contains(target)) chosen += 1;
});

const isPlain = (/** @type {MouseEvent} */ { button, altKey, ctrlKey, metaKey, shiftKey }) =>
  button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey;

/** @param {Element} target */
function keepPress(target) {
  const button = target.closest('button');
  if (!button || !isStatic(target.closest(ELEMENTS))) return;
  chosen += 1;
  button.dataset.clicked = `${button.dataset.clicked ?? ''} ${chosen}`.trim();
}

document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return;
  keepPress(event.target);
  const calculator = notLive();
  const link = closestLink(event.target);
  if (!calculator || !link || !chosen || waiting || !isPlain(event)) return; // a second click does not wait
  waiting = true;
  event.preventDefault();
  calculator.addEventListener('live', () => link.click(), { once: true });
});
