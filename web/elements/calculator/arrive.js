// A link into the page (`#run`) leads to a place in the static content, which the live calculator replaces.

const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'];
/** After this time the panels above the place have been drawn, and it moves no more. */
const SETTLE_MS = 3000;

/**
 * To be called before the static content is replaced. The function that it returns scrolls to the same place
 * afterwards, unless the visitor has moved in between.
 */
export function keepPlace() {
  const moved = new AbortController();
  for (const kind of MOVES)
    addEventListener(kind, () => moved.abort(), { signal: moved.signal, capture: true, passive: true });
  return () => {
    const target = document.getElementById(location.hash.slice(1));
    if (moved.signal.aborted || !target || document.activeElement !== document.body) return;
    startFrom(target);
    const observer = new ResizeObserver(() => target.scrollIntoView({ behavior: 'instant' }));
    observer.observe(document.body);
    moved.signal.addEventListener('abort', () => observer.disconnect());
    setTimeout(() => moved.abort(), SETTLE_MS);
  };
}

/** The next Tab goes to what follows, as after a click on a link to it. @param {HTMLElement} target */
function startFrom(target) {
  target.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.blur();
  target.removeAttribute('tabindex');
}
