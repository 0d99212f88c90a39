// How often words and labels occur.

/**
 * How often each word occurs, in the order in which they occur first.
 * @param {readonly (readonly string[])[]} texts
 * @returns {Map<string, number>}
 */
export function countsOf(texts) {
  const counts = new Map();
  for (const text of texts) for (const word of text) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * How often each word occurs, the most frequent first, and the first in the alphabet of equally frequent words.
 * @param {readonly (readonly string[])[]} texts
 */
export const byFrequency = (texts) =>
  new Map([...countsOf(texts)].sort(([one, many], [other, more]) => more - many || (one < other ? -1 : 1)));
