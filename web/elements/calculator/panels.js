// Which parts a calculator has, by the words of its attribute `panels`, and which of them share a row of tabs.

/** In the order in which they stand. */
export const PANELS = /** @type {const} */ ([
  'presets',
  'form',
  'answer',
  'cache',
  'memory',
  'export',
  'steps',
  'timeline',
  'compare',
  'pytorch',
  'run',
  'config',
  'models',
  'kinds',
  'formats'
]);

/** @typedef {typeof PANELS[number]} Panel */

/**
 * With the attribute `tabs`, one of these at a time.
 * @type {readonly { id: string, title: string, panels: Panel[] }[]}
 */
export const TABS = [
  { id: 'cost', title: 'Cost', panels: ['memory', 'export', 'steps'] },
  { id: 'tensors', title: 'Tensors', panels: ['timeline'] },
  { id: 'compare', title: 'Compare', panels: ['compare'] },
  { id: 'pytorch', title: 'PyTorch', panels: ['pytorch'] }
];

/** Places in a tab that a link may lead to. */
const INSIDE = /** @type {Record<string, string>} */ ({ memory: 'cost', steps: 'cost', timeline: 'tensors' });

/** The tab that `#hash` asks for; '' if none. @param {string} hash */
export function tabOf(hash) {
  const id = hash.replace(/^#/, '');
  const tab = INSIDE[id] ?? id;
  return TABS.some((one) => one.id === tab) ? tab : '';
}

/**
 * The panels of an attribute, and words that name none. Without the attribute, or without a word in it, all of them.
 * @param {string | null} text
 * @returns {{ panels: readonly Panel[], unknown: string[] }}
 */
export function readPanels(text) {
  const words = (text ?? '').split(/\s+/).filter(Boolean);
  const known = /** @type {readonly string[]} */ (PANELS);
  const panels = PANELS.filter((panel) => words.includes(panel));
  return { panels: panels.length ? panels : PANELS, unknown: words.filter((word) => !known.includes(word)) };
}
