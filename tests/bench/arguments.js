// What `npm run bench --` takes.

/**
 * @typedef {object} Options
 * @property {boolean} ours times only attnscope
 * @property {string | null} json where the result is also written
 * @property {string} only workloads whose name contains it
 */

export const usage = `\
npm run bench                  attnscope beside other runtimes
npm run bench -- --only TEXT   only workloads whose name contains TEXT
npm run bench -- --json FILE   writes the result as well
npm run bench -- --ours        only attnscope: estimate and forward of four layers`;

/**
 * @param {string[]} words
 * @returns {Options}
 * @throws {Error} for a word that is none of these, or one without its value
 */
export function parseArguments(words) {
  /** @type {Options} */
  const options = { ours: false, json: null, only: '' };
  const rest = [...words];
  const valueOf = (/** @type {string} */ name) => {
    const value = rest.shift();
    if (value === undefined || value.startsWith('--')) throw new Error(`${name} needs a value\n\n${usage}`);
    return value;
  };
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--ours') options.ours = true;
    else if (word === '--json') options.json = valueOf(word);
    else if (word === '--only') options.only = valueOf(word);
    else throw new Error(`no argument ${word}\n\n${usage}`);
  }
  if (options.ours && (options.json !== null || options.only)) throw new Error(`--ours stands alone\n\n${usage}`);
  return options;
}
