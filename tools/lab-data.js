// The real data of the lab "Attention or dense", as small modules, from the packages that hold it.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './folders.js';

const read = (/** @type {string[]} */ ...names) =>
  JSON.parse(readFileSync(join(project, 'node_modules', ...names), 'utf8'));

const stdlib = (/** @type {string} */ name, file = 'data.json') => read('@stdlib', `datasets-${name}`, 'data', file);

/** Births a day in the United States; the two sources overlap from 2000, so the older one ends in 1999. */
function births() {
  /** @type {(days: { year: number, births: number }[]) => number[]} */
  const counts = (days) => days.map((day) => day.births);
  const older = stdlib('cdc-nchs-us-births-1994-2003').filter(
    (/** @type {{ year: number }} */ { year }) => year < 2000
  );
  return {
    decades: [
      { first: '1994-01-01', counts: counts(older) },
      { first: '2000-01-01', counts: counts(stdlib('ssa-us-births-2000-2014')) }
    ]
  };
}

const MOST_WORDS = 8;

/** Names of emoji by group. */
function emoji() {
  /** @type {{ name: string, emojis: { name: string }[] }[]} */
  const groups = read('unicode-emoji-json', 'data-by-group.json');
  return {
    groups: groups.map(({ name, emojis }) => ({
      name,
      texts: emojis.map((one) => one.name).filter((text) => text.split(' ').length <= MOST_WORDS)
    }))
  };
}

/** First names of two lists, without those that are in both. */
function firstNames() {
  const lists = ['female', 'male'].map((name) =>
    /** @type {string[]} */ (stdlib(`${name}-first-names-en`, 'names.json')).map((text) => text.toLowerCase())
  );
  const only = lists.map((own, at) => {
    const others = new Set(lists[1 - at]);
    return [...new Set(own)].filter((text) => !others.has(text));
  });
  return {
    groups: [
      { name: 'women’s names', texts: only[0] },
      { name: 'men’s names', texts: only[1] }
    ]
  };
}

const sets = { births, emoji, 'first-names': firstNames };

/** @param {string} folder */
export function writeLabData(folder) {
  mkdirSync(folder, { recursive: true });
  for (const [name, make] of Object.entries(sets))
    writeFileSync(join(folder, `${name}.js`), `export default ${JSON.stringify(make())};\n`);
}
