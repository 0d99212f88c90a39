// The chapters of a long page as a list to open, where the page is narrow: on a phone it would be twenty screens long.

/** Where chapters are folded, from the first paint on (before-paint/folds.js). */
export const NARROW = '(max-width: 900px)';

/** @param {ParentNode} page */
export function foldChapters(page) {
  const narrow = matchMedia(NARROW);
  const fit = () => {
    if (narrow.matches)
      for (const heading of page.querySelectorAll('.chapters h2')) if (!heading.closest('summary')) fold(heading);
    for (const chapter of page.querySelectorAll('details.chapter')) chapter.toggleAttribute('open', !narrow.matches);
    delete document.documentElement.dataset.folds;
    openTarget();
  };
  narrow.addEventListener('change', fit);
  window.addEventListener('hashchange', openTarget);
  fit();
}

/** What follows a heading, up to the next, is behind it. @param {Element} heading */
function fold(heading) {
  const rest = [];
  for (let node = heading.nextSibling; node && node.nodeName !== heading.nodeName; node = node.nextSibling)
    rest.push(node);
  const chapter = Object.assign(document.createElement('details'), { className: 'chapter' });
  heading.before(chapter);
  const summary = document.createElement('summary');
  summary.append(heading);
  chapter.append(summary, ...rest);
}

/** Opens the chapter to which the address leads, and goes there. */
function openTarget() {
  const target = document.querySelector(':target');
  const chapter = target?.closest('details.chapter') ?? target?.querySelector('details.chapter');
  if (!target || !(chapter instanceof HTMLDetailsElement) || chapter.open) return;
  chapter.open = true;
  target.scrollIntoView({ behavior: 'instant' });
}
