// The address bar holds the whole configuration: a link shares it, back undoes.

import { parseField } from '../../plain/fields.js';
import { writePin } from '../../plain/pin.js';
import { repeatedIn, valuesIn } from '../../plain/search.js';

/** @typedef {import('../../plain/store.js').Store} Store */

/** Letters of one part of a link; what is longer, such as a large mask, is left out. */
export const LONGEST = 8000;
/** Letters of a field's value; of a longer one the number that it is, or nothing. */
const LONGEST_VALUE = 64;

/**
 * Every field of the chosen layer that is given, so that the link means the same after a default has changed; and what
 * is pinned.
 * @param {Store} store
 * @param {Record<string, string>} [aside] how the layer is looked at there
 */
export function writeSearch(store, aside = {}) {
  const search = new URLSearchParams({ layer: store.layer.name });
  for (const field of store.layer.fields) {
    const value = store.values[field.name] ?? field.default;
    const parsed = parseField(field, value);
    const text = String(String(value).length > LONGEST_VALUE ? parsed : value);
    if (parsed !== null && text.length <= LONGEST_VALUE) search.set(field.name, text);
  }
  if (store.seed) search.set('seed', String(store.seed));
  for (const [name, text] of Object.entries({ ...store.aside, ...aside }))
    if (text.length <= LONGEST) search.set(name, text);
  if (store.pinned) search.set('pin', writePin(store.pinned));
  return `?${search}`;
}

const SETTLE_MS = 200;

/**
 * Binds a store to a window's address. One gesture (a drag, a run of keystrokes in one box) is one entry of the
 * history.
 * @param {Store} store
 * @param {Window} view
 * @param {EventTarget} form holds the boxes whose native `change` ends a gesture
 * @returns {() => void} unbinds
 */
export function bindUrl(store, view, form) {
  /** @type {string | undefined} */
  let gesture;
  let timer = 0;
  const write = () => {
    view.clearTimeout(timer);
    timer = 0;
    view.history.replaceState(null, '', writeSearch(store) + view.location.hash);
  };
  const onChange = (/** @type {Event} */ event) => {
    const next = /** @type {CustomEvent} */ (event).detail.gesture;
    if (next === 'load') return;
    if (next && next === gesture) {
      timer ||= view.setTimeout(write, SETTLE_MS);
      return;
    }
    if (timer) view.clearTimeout(timer);
    timer = 0;
    gesture = next;
    const search = writeSearch(store);
    if (search !== view.location.search) view.history.pushState(null, '', search + view.location.hash);
  };
  const onSettle = (/** @type {Event} */ event) => {
    if (event instanceof CustomEvent) return; // the element's own, of every edit
    if (timer) write();
    gesture = undefined;
  };
  const onBack = () => {
    view.clearTimeout(timer);
    timer = 0;
    gesture = undefined;
    if (writeSearch(store) !== view.location.search)
      store.load(valuesIn(view.location.search), repeatedIn(view.location.search));
  };
  store.addEventListener('change', onChange);
  form.addEventListener('change', onSettle);
  view.addEventListener('popstate', onBack);
  return () => {
    store.removeEventListener('change', onChange);
    form.removeEventListener('change', onSettle);
    view.removeEventListener('popstate', onBack);
  };
}
