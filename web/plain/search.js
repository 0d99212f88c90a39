// The query of an address as values by name. No DOM.

const MOST_QUOTED = 40;

/** A text as a message quotes it. @param {unknown} text */
export const quoted = (text) => JSON.stringify(shortened(String(text)));

/** What was typed for a number, as a message says it: a number bare, another text quoted. @param {unknown} text */
export const gotText = (text) => (/^-?\d+(\.\d+)?$/.test(String(text)) ? shortened(String(text)) : quoted(text));

/** @param {string} text @param {number} [most] letters */
export const shortened = (text, most = MOST_QUOTED) => (text.length > most ? `${text.slice(0, most)}…` : text);

/** Of a name that stands more than once the last value. @param {string} search @returns {Record<string, string>} */
export const valuesIn = (search) => Object.fromEntries(new URLSearchParams(search));

/** A message for each value that another of the same name follows. @param {string} search */
export function repeatedIn(search) {
  const all = [...new URLSearchParams(search)];
  return all
    .filter(([name], at) => all.findLastIndex(([other]) => other === name) > at)
    .map(([name, value]) => `${shortened(`${name}=${value}`)} stands before another ${shortened(name)}`);
}
