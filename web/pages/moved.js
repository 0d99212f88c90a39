// Links of the time when one page had everything lead to the pages that have it now.

const PLACES = /** @type {Record<string, string>} */ ({
  run: 'run/',
  formats: 'run/',
  models: 'models/',
  import: 'models/',
  'kv-cache': 'models/'
});

/** Chapters of the guide. */
export const CHAPTERS = [
  ...['what', 'why', 'shapes', 'formulas', 'pytorch-how', 'masks', 'mistakes', 'which', 'time-steps', 'heads'],
  ...['seen', 'pairs', 'grouped', 'latent', 'positions', 'precision', 'practice', 'reading']
];

export function moveOn() {
  const id = location.hash.slice(1);
  const to = CHAPTERS.includes(id) ? 'guide/' : Object.hasOwn(PLACES, id) && PLACES[id];
  if (to) location.replace(`./${to}${location.search}${location.hash}`);
}
