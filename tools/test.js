// npm test: builds what is stale, runs the suites, and ends with their counts. `npm test -- js torch` runs only those,
// `npm test -- torch decoder` only what a suite has for a layer, `npm test -- --changed` what a change can touch.

import { stripVTControlCharacters } from 'node:util';
import { main } from './build.js';
import { changedFiles, touchedBy } from './changed.js';
import { fileSeconds } from './counts.js';
import { slowFiles, table, totals } from './results.js';
import { needs, suites } from './suites.js';

/** @typedef {import('./suites.js').Suite} Suite */
/** @typedef {import('./suites.js').Asked} Asked */
/** @typedef {import('./suites.js').Need} Need */
/** @typedef {Suite & { asked: Asked }} Chosen */
/** @typedef {import('./results.js').Row} Row */

/**
 * The suites that are named, or all; the layers named after a suite that takes them; after `--changed` the files that
 * a change can touch.
 * @param {string[]} words
 * @returns {Promise<Chosen[]>}
 */
async function choose(words) {
  const at = words.indexOf('--changed');
  const [given, since] = at < 0 ? [words, null] : [words.slice(0, at), words.slice(at + 1)];
  const named = given.filter((word) => suites.some(({ name }) => name === word));
  const layers = given.filter((word) => !named.includes(word));
  const chosen = named.length === 0 ? suites : suites.filter(({ name }) => named.includes(name));
  const takesLayers = named.length > 0 && chosen.some((suite) => suite.takesLayers);
  if (layers.length > 0 && !takesLayers)
    throw new Error(`no suite ${layers.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}`);
  if (since && since.length > 1) throw new Error(`--changed takes one commit, got ${since.join(' ')}`);
  if (!since) return chosen.map((suite) => ({ ...suite, asked: { layers, files: suite.files() } }));
  const changes = await changedFiles(since[0]);
  console.log(`${changes.files.length} files are others than at ${changes.commit}`);
  return chosen
    .map((suite) => ({ ...suite, asked: { layers, files: touched(suite, changes.files) } }))
    .filter(({ asked }) => asked.files.length > 0);
}

/** @param {Suite} suite @param {string[]} changed */
function touched(suite, changed) {
  const files = suite.files();
  const those = files.filter((file) => touchedBy(file, changed));
  return suite.whole && those.length > 0 ? files : those;
}

/**
 * Begins what the suites need, each thing once. A failure is only printed: the suites that need it will fail by it.
 * @param {Suite[]} chosen
 * @returns {Map<Need, Promise<Error | null>>}
 */
function prepare(chosen) {
  const wanted = Object.values(needs).filter((need) => chosen.some((suite) => suite.needs.includes(need)));
  const done = (/** @type {Need} */ need) =>
    need().then(
      () => null,
      (error) => {
        console.error(error.message);
        return error;
      }
    );
  return new Map(wanted.map((need) => [need, done(need)]));
}

/**
 * One part of a suite, once what it needs is there.
 * @param {Chosen} suite
 * @param {'first' | 'start'} part
 * @param {Map<Need, Promise<Error | null>>} prepared
 * @returns {Promise<{ result: import('./suites.js').Result, seconds: number }>}
 */
async function runPart(suite, part, prepared) {
  const errors = await Promise.all(suite.needs.map((need) => prepared.get(need)));
  const start = performance.now();
  const result = errors.some(Boolean)
    ? { code: 1, output: 'could not run: what it needs is not there, see above' }
    : await suite[part]?.(suite.asked).catch((error) => ({ code: 1, output: `could not run: ${error.message}` }));
  return { result: result ?? { code: 0, output: '' }, seconds: (performance.now() - start) / 1000 };
}

/**
 * @param {Chosen} suite
 * @param {{ result: import('./suites.js').Result, seconds: number }[]} parts
 * @returns {Row}
 */
function rowOf(suite, parts) {
  const { code, output: raw } = /** @type {(typeof parts)[number]} */ (parts.at(-1)).result;
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  const output = stripVTControlCharacters(raw);
  const counts = suite.counts(output) ?? { passed: 0, failed: 1, skipped: 0 };
  if (counts.passed + counts.failed === 0 || (code !== 0 && counts.failed === 0)) counts.failed = 1;
  if (counts.failed > 0) console.log(`\n${output.trimEnd()}`);
  const ending = counts.failed > 0 && code !== 0 ? ` (${typeof code === 'number' ? `exit code ${code}` : code})` : '';
  console.log(`${suite.name}: ${counts.passed} passed, ${counts.failed} failed${ending}, ${seconds.toFixed(1)} s`);
  return { name: suite.name, seconds, files: fileSeconds(output), ...counts };
}

/**
 * Two at a time, beside what is still being made; those that run alone, one by one afterwards, but for what they do
 * first.
 * @param {Chosen[]} chosen
 * @param {Map<Need, Promise<Error | null>>} prepared
 * @returns {Promise<Row[]>} in the order given
 */
async function runAll(chosen, prepared) {
  /** @type {Map<Suite, Row>} */
  const rows = new Map();
  /** @type {Map<Suite, Awaited<ReturnType<typeof runPart>>>} */
  const firsts = new Map();
  const together = chosen.filter(({ alone, first }) => !alone || first);
  const worker = async () => {
    for (let suite = await next(together, prepared); suite; suite = await next(together, prepared)) {
      if (suite.first) firsts.set(suite, await runPart(suite, 'first', prepared));
      else rows.set(suite, rowOf(suite, [await runPart(suite, 'start', prepared)]));
    }
  };
  await Promise.all([worker(), worker()]);
  for (const suite of chosen.filter((one) => !rows.has(one))) {
    const first = firsts.get(suite);
    const parts = first ? [first] : [];
    if (!first || first.result.code === 0) parts.push(await runPart(suite, 'start', prepared));
    rows.set(suite, rowOf(suite, parts));
  }
  await Promise.all(prepared.values());
  return chosen.map((suite) => /** @type {Row} */ (rows.get(suite)));
}

/**
 * Takes out of the list the first suite whose needs are there, or will be before those of the others.
 * @param {Chosen[]} waiting
 * @param {Map<Need, Promise<Error | null>>} prepared
 */
async function next(waiting, prepared) {
  if (waiting.length === 0) return undefined;
  const ready = (/** @type {Chosen} */ suite) =>
    Promise.all(suite.needs.map((need) => prepared.get(need))).then(() => suite);
  const suite = await Promise.race(waiting.map(ready));
  // Another worker may have taken it meanwhile.
  if (!waiting.includes(suite)) return next(waiting, prepared);
  waiting.splice(waiting.indexOf(suite), 1);
  return suite;
}

await main(async () => {
  const chosen = await choose(process.argv.slice(2));
  const rows = await runAll(chosen, prepare(chosen));
  const { passed, failed } = totals(rows);
  console.log(`\n${table(rows)}\n${slowFiles(rows)}\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
