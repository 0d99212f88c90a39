// npm test: builds what is stale, runs the suites, and ends with their counts. `npm test -- js torch` runs only those,
// `npm test -- torch decoder` only what a suite has for a layer.

import { stripVTControlCharacters } from 'node:util';
import { main } from './build.js';
import { suites } from './suites.js';

/** @typedef {import('./suites.js').Suite} Suite */
/** @typedef {{ name: string, seconds: number } & import('./counts.js').Counts} Row */

/**
 * The suites that are named, or all; and the layers named after a suite that takes them.
 * @param {string[]} words
 */
function choose(words) {
  const named = words.filter((word) => suites.some(({ name }) => name === word));
  const others = words.filter((word) => !named.includes(word));
  const chosen = named.length === 0 ? suites : suites.filter(({ name }) => named.includes(name));
  const takesLayers = named.length > 0 && chosen.some((suite) => suite.takesLayers);
  if (others.length > 0 && !takesLayers)
    throw new Error(`no suite ${others.join(', ')}; there are ${suites.map(({ name }) => name).join(', ')}`);
  return { chosen, layers: others };
}

/**
 * Does what the suites need, each thing once. A failure is only printed: the suites that need it will fail by it.
 * @param {Suite[]} chosen
 * @returns {Promise<Map<import('./suites.js').Need, Error | null>>}
 */
async function prepare(chosen) {
  const needs = [...new Set(chosen.flatMap(({ needs }) => needs))];
  const errors = await Promise.all(
    needs.map((need) =>
      need().then(
        () => null,
        (error) => {
          console.error(error.message);
          return error;
        }
      )
    )
  );
  return new Map(needs.map((need, i) => [need, errors[i]]));
}

/**
 * @param {Suite} suite
 * @param {Map<import('./suites.js').Need, Error | null>} prepared
 * @param {string[]} layers
 * @returns {Promise<Row>}
 */
async function runSuite(suite, prepared, layers) {
  const start = performance.now();
  const missing = suite.needs.some((need) => prepared.get(need));
  const { code, output: raw } = missing
    ? { code: 1, output: 'could not run: what it needs is not there, see above' }
    : await suite.start(layers).catch((error) => ({ code: 1, output: `could not run: ${error.message}` }));
  const output = stripVTControlCharacters(raw);
  const counts = suite.counts(output) ?? { passed: 0, failed: 1, skipped: 0 };
  if (counts.passed + counts.failed === 0 || (code !== 0 && counts.failed === 0)) counts.failed = 1;
  const seconds = (performance.now() - start) / 1000;
  if (counts.failed > 0) console.log(`\n${output.trimEnd()}`);
  const ending = counts.failed > 0 && code !== 0 ? ` (${typeof code === 'number' ? `exit code ${code}` : code})` : '';
  console.log(`${suite.name}: ${counts.passed} passed, ${counts.failed} failed${ending}, ${seconds.toFixed(1)} s`);
  return { name: suite.name, seconds, ...counts };
}

/**
 * Two at a time; those that run alone, one by one afterwards.
 * @param {Suite[]} chosen
 * @param {(suite: Suite) => Promise<Row>} run
 * @returns {Promise<Row[]>} in the order given
 */
async function runAll(chosen, run) {
  /** @type {Map<Suite, Row>} */
  const rows = new Map();
  const together = chosen.filter(({ alone }) => !alone);
  const worker = async () => {
    for (let suite = together.shift(); suite; suite = together.shift()) rows.set(suite, await run(suite));
  };
  await Promise.all([worker(), worker()]);
  for (const suite of chosen.filter(({ alone }) => alone)) rows.set(suite, await run(suite));
  return chosen.map((suite) => /** @type {Row} */ (rows.get(suite)));
}

/** @param {Row[]} rows */
function table(rows) {
  const lines = rows.map(({ name, passed, failed, skipped, seconds }) => [
    name,
    passed,
    failed,
    skipped,
    `${seconds.toFixed(1)} s`
  ]);
  return [['suite', 'passed', 'failed', 'skipped', 'time'], ...lines]
    .map((cells) => cells.map((cell, i) => (i === 0 ? String(cell).padEnd(14) : String(cell).padStart(9))).join(''))
    .join('\n');
}

/** @param {Row[]} rows */
function totals(rows) {
  const sum = (/** @type {'passed' | 'failed'} */ key) => rows.reduce((total, row) => total + row[key], 0);
  return { passed: sum('passed'), failed: sum('failed') };
}

await main(async () => {
  const { chosen, layers } = choose(process.argv.slice(2));
  const prepared = await prepare(chosen);
  const rows = await runAll(chosen, (suite) => runSuite(suite, prepared, layers));
  const { passed, failed } = totals(rows);
  console.log(`\n${table(rows)}\n\n${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
