// The words after `npm test --` and `npm run test:all --`: suites, layers, files and options.

import { parseArgs } from 'node:util';
import { changedFiles, touchedBy } from './changed.js';
import { suites } from './suites.js';

/** @typedef {import('./suites.js').Suite} Suite */
/** @typedef {import('./suites.js').Asked} Asked */
/** @typedef {Suite & { asked: Asked }} Chosen */

/**
 * @typedef {object} Order
 * @property {Chosen[]} chosen the suites to run, in their order
 * @property {import('./suites.js').Depth} depth
 * @property {number | undefined} seed of the random cases; undefined: the seeds that the tests name
 * @property {boolean} whole whether it is all that the command has
 */

/**
 * Suites by name, or all; the layers named after a suite that takes layers; the suites' files that are named; with
 * `--changed` the files that a change can touch.
 * @param {string[]} words
 * @returns {Promise<Order>}
 */
export async function choose(words) {
  const at = words.indexOf('--changed');
  const since = at < 0 ? null : words.slice(at + 1);
  if (since && since.length > 1) throw new Error(`--changed takes one commit, got ${since.join(' ')}`);
  const { positionals, values } = parseArgs({
    args: at < 0 ? words : words.slice(0, at),
    options: { all: { type: 'boolean' }, name: { type: 'string' }, seed: { type: 'string' } },
    allowPositionals: true
  });
  /** @type {import('./suites.js').Depth} */
  const depth = values.all ? 'all' : 'gate';
  const seed = seedOf(values.seed, depth);
  const named = select(positionals, depth);
  const change = since && (await changedFiles(since[0]));
  if (change) console.log(`${change.files.length} files are others than at ${change.commit}`);
  const chosen = named
    .map((suite) => (change ? withFiles(suite, touched(suite, change.files)) : suite))
    .map((suite) => ({ ...suite, asked: { ...suite.asked, depth, seed, name: values.name } }))
    .filter(({ asked }) => asked.files.length > 0);
  return { chosen, depth, seed, whole: positionals.length === 0 && !change && values.name === undefined };
}

/**
 * The seed that is asked for; at full depth a new one where none is.
 * @param {string | undefined} text
 * @param {import('./suites.js').Depth} depth
 */
function seedOf(text, depth) {
  if (text === undefined) return depth === 'all' ? Math.floor(Math.random() * 2 ** 32) : undefined;
  const seed = Number(text);
  if (/^\d+$/.test(text) && seed < 2 ** 32) return seed;
  throw new Error(`--seed takes an integer from 0 to 2^32 - 1, got ${text}`);
}

/**
 * @param {string[]} words names of suites, files and layers
 * @param {import('./suites.js').Depth} depth
 */
function select(words, depth) {
  const every = suites.map((suite) => ({ ...suite, asked: askedOf(suite, depth) }));
  if (words.length === 0) return every;
  const names = words.filter((word) => suites.some(({ name }) => name === word));
  const files = words.filter((word) => suites.some((suite) => suite.files().includes(word)));
  const layers = words.filter((word) => !names.includes(word) && !files.includes(word));
  const chosen = every.filter(({ name }) => names.includes(name));
  if (layers.length > 0) refuseLayers(layers, files, chosen);
  if (files.length > 0) return names.length > 0 ? withOwnFiles(chosen, files) : suitesOf(files, every);
  const empty = chosen.find(({ asked }) => asked.files.length === 0);
  if (empty) throw new Error(`npm test has nothing of ${empty.name}: npm run test:all -- ${empty.name} runs it`);
  return chosen.map((suite) => ({ ...suite, asked: { ...suite.asked, layers } }));
}

/**
 * Throws where no suite takes the layers, or where files stand beside them: a run of layers has no files.
 * @param {string[]} layers
 * @param {string[]} files
 * @param {Chosen[]} chosen
 */
function refuseLayers(layers, files, chosen) {
  if (!chosen.some(({ takesLayers }) => takesLayers))
    throw new Error(
      `no suite or test file ${layers.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}`
    );
  if (files.length > 0)
    throw new Error(`layers or files, not both: got ${layers.join(', ')} beside ${files.join(', ')}`);
}

/**
 * Suites, each with the named files that belong to it. A suite that runs all of its files or nothing, such as a program
 * of all C++ tests, runs all.
 * @param {Chosen[]} chosen
 * @param {string[]} files
 */
function withOwnFiles(chosen, files) {
  const unread = files.filter((file) => !chosen.some((suite) => suite.files().includes(file)));
  if (unread.length > 0)
    throw new Error(`${chosen.map(({ name }) => name).join(', ')} does not have ${unread.join(', ')}`);
  return chosen.map((suite) => {
    const own = suite.files().filter((file) => files.includes(file));
    return withFiles(suite, suite.whole && own.length > 0 ? suite.files() : own);
  });
}

/**
 * Suites that can run the files alone.
 * @param {string[]} files
 * @param {Chosen[]} every
 */
function suitesOf(files, every) {
  const singly = every.filter(({ whole }) => !whole);
  const stuck = files.find((file) => !singly.some((suite) => suite.files().includes(file)));
  if (stuck) {
    const names = every.filter((suite) => suite.files().includes(stuck)).map(({ name }) => name);
    throw new Error(`${stuck} runs only with its whole suite; name one of ${names.join(', ')}`);
  }
  return withOwnFiles(singly, files);
}

/** @param {Suite} suite @param {import('./suites.js').Depth} depth @returns {Asked} */
const askedOf = (suite, depth) => ({
  depth,
  layers: [],
  files: suite.files().filter((file) => depth === 'all' || suite.gate(file))
});

/** @param {Chosen} suite @param {string[]} files @returns {Chosen} */
const withFiles = (suite, files) => ({ ...suite, asked: { ...suite.asked, files } });

/** @param {Chosen} suite @param {string[]} changed */
function touched({ whole, asked: { files } }, changed) {
  const own = files.filter((file) => touchedBy(file, changed));
  return whole && own.length > 0 ? files : own;
}

/**
 * The command that runs a failed test alone.
 * @param {Chosen} suite
 * @param {import('./counts.js').Failure} failure
 */
export function commandFor({ name: suite, whole, files, asked: { depth, seed, layers } }, { name, file }) {
  const isNamed = !whole && files().includes(file); // not where another module has made the test
  const words = [suite, ...layers, ...(isNamed ? [file] : []), ...(name === file ? [] : ['--name', quoted(name)])];
  if (depth === 'all') words.push('--seed', String(seed));
  return `npm ${depth === 'all' ? 'run test:all' : 'test'} -- ${words.join(' ')}`;
}

/** The text as one word of a shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
