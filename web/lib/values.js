// Values as the library's own checks see them and its messages show them.

/**
 * An object literal, or one made by Object.create(null), of any realm: the core's rule.
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
export function isPlain(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'hasOwnProperty');
}

/**
 * A value as a message shows it.
 * @param {unknown} value
 */
export function show(value) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return Object.is(value, -0) ? '-0' : String(value);
}

const NEAR = 3; // edits, as in the core; more would suggest unrelated names

/**
 * `, did you mean gemma2?` for the nearest of `known`, '' where none is near.
 * @param {string} name
 * @param {string[]} known
 */
export function didYouMean(name, known) {
  let nearest = '';
  let best = Math.min(NEAR + 1, name.length);
  for (const candidate of known) {
    if (name.length > candidate.length + NEAR) continue;
    const distance = editDistance(name, candidate);
    if (distance < best) [best, nearest] = [distance, candidate];
  }
  return nearest && `, did you mean ${nearest}?`;
}

/** Levenshtein's, row by row. @param {string} a @param {string} b */
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) next.push(Math.min(row[j + 1] + 1, next[j] + 1, row[j] + Number(a[i] !== b[j])));
    row = next;
  }
  return row[b.length];
}
