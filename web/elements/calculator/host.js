// Messages about what the page around the element got wrong: a misspelt attribute, a wrong key of `config`.

import { didYouMean } from '../../lib/values.js';
import { PANELS } from './panels.js';

/** @typedef {import('../../plain/store.js').Store} Store */

/** Global attributes without a property of the same letters. */
const GLOBAL = ['class', 'exportparts', 'is', 'itemid', 'itemprop', 'itemref', 'itemscope', 'itemtype', 'role'];

/**
 * What HTML gives every element: its properties are the attributes' names in other letter case.
 * @param {string} name
 */
const isGlobal = (name) => /^(data|aria)-/.test(name) || GLOBAL.includes(name) || htmlNames().has(name);

/** @type {Set<string> | undefined} */
let names;

function htmlNames() {
  if (!names) {
    names = new Set();
    for (const name in HTMLElement.prototype) names.add(name.toLowerCase());
  }
  return names;
}

/** Attributes of frameworks: `_ngcontent-1`, `@click`, `x-data`, `hx-get`. */
const isForeign = (/** @type {string} */ name) => /^_|[^\w-]|^[a-z]{1,2}-/.test(name);

/**
 * A message for each attribute that is neither the element's nor HTML's nor, as far as can be told, a framework's.
 * @param {Element} element @param {string[]} known
 */
export function attributeMessages(element, known) {
  return element
    .getAttributeNames()
    .filter((name) => !known.includes(name) && !isGlobal(name))
    .flatMap((name) => {
      const spelled = name.replaceAll('-', '_');
      const isSpelling = known.includes(spelled);
      if (isForeign(name) && !isSpelling) return [];
      const hint = isSpelling ? `, did you mean ${spelled}?` : didYouMean(name, known);
      if (!hint && name.includes('-')) return [];
      return [
        `${element.localName} has no attribute "${name}"${hint || '; its attributes are address, layer, seed and the fields of the layers'}`
      ];
    });
}

/**
 * The core's messages about keys that the layer has no field for.
 * @param {Store} store
 * @param {Record<string, unknown>} config
 */
export function configMessages(store, config) {
  const layer = store.layers.find(({ name }) => name === config.layer);
  if (!layer) return config.layer === undefined ? [store.refusal(config)] : [];
  const own = ['layer', ...layer.fields.map(({ name }) => name)];
  return Object.keys(config)
    .filter((name) => !own.includes(name))
    .map((name) => store.refusal({ layer: layer.name, [name]: config[name] }));
}

/** A message for each word of `panels` that names none. @param {string[]} words */
export const panelMessages = (words) =>
  words.map(
    (word) => `there is no panel "${word}"${didYouMean(word, [...PANELS]) || `; the panels are ${PANELS.join(', ')}`}`
  );

/** @param {string | null} theme */
export const themeMessages = (theme) =>
  theme === null || ['light', 'dark', 'auto'].includes(theme)
    ? []
    : [`theme must be one of auto, light, dark, got ${JSON.stringify(theme)}`];
