// npm test: builds what is stale, runs the part of each suite that decides whether a change may land, and ends with the
// counts. `npm run test:all` runs the suites at full depth. `npm test -- js torch` runs only those suites, `npm test --
// torch decoder` only what a suite has for a layer, `npm test -- tests/js/open.test.js` a file, `npm test -- --changed`
// what a change can touch (ask.js).

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { choose, commandFor } from './ask.js';
import { main } from './build.js';
import { childSeconds } from './commands.js';
import { failedTests, fileSeconds, withoutSummary } from './counts.js';
import { project } from './folders.js';
import { cleanTree, lastSeconds, recordRun, recordSeconds } from './record.js';
import { failures, overBudget, slowFiles, table, totals, unsteadyTests } from './results.js';
import { budget, needs } from './suites.js';

/** @typedef {import('./suites.js').Suite} Suite */
/** @typedef {import('./suites.js').Need} Need */
/** @typedef {import('./ask.js').Chosen} Chosen */
/** @typedef {import('./results.js').Row} Row */

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
  const { code, output: raw, unsteady = [] } = /** @type {(typeof parts)[number]} */ (parts.at(-1)).result;
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0);
  const processor = parts.reduce((sum, part) => sum + (part.result.processor ?? 0), 0);
  const output = stripVTControlCharacters(raw);
  const counts = suite.counts(output) ?? { passed: 0, failed: 1, skipped: 0 };
  counts.passed += unsteady.length;
  counts.failed -= unsteady.length;
  if (counts.passed + counts.failed === 0 || (code !== 0 && counts.failed === 0)) counts.failed = 1;
  const { most = Infinity, asked, name } = suite;
  const tooMany = asked.depth === 'gate' && counts.passed + counts.failed > most;
  if (tooMany) counts.failed++;
  if (counts.failed > 0) console.log(`\n${withoutSummary(output).trimEnd()}`);
  if (tooMany)
    console.log(`${name} has more than the ${most} tests that npm test may run: name fewer in tools/suites.js`);
  const ending = counts.failed > 0 && code !== 0 ? ` (${typeof code === 'number' ? `exit code ${code}` : code})` : '';
  console.log(`${name}: ${counts.passed} passed, ${counts.failed} failed${ending}, ${seconds.toFixed(1)} s`);
  const failed = failedTests(output).filter((failure) => !unsteady.some((other) => isSame(failure, other)));
  return {
    name,
    seconds,
    processor,
    budget: asked.depth === 'gate' ? suite.budget : undefined,
    files: fileSeconds(output),
    failures: failed.map((failure) => ({ name: failure.name, command: commandFor(suite, failure) })),
    unsteady,
    ...counts
  };
}

/** @param {import('./counts.js').Failure} failure @param {import('./counts.js').Failure} other */
const isSame = (failure, other) => failure.name === other.name && failure.file === other.file;

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

/** Where scripts find the unsteady tests of the last run. @param {Row[]} rows */
function writeUnsteady(rows) {
  mkdirSync(join(project, 'build'), { recursive: true });
  const tests = rows.flatMap(({ unsteady }) => unsteady);
  writeFileSync(join(project, 'build', 'unsteady.json'), `${JSON.stringify(tests, null, 2)}\n`);
}

await main(async () => {
  const start = performance.now();
  const { chosen, depth, seed, whole } = await choose(process.argv.slice(2));
  const command = depth === 'all' ? 'npm run test:all' : 'npm test';
  if (seed !== undefined) console.log(`seed ${seed}: ${command} -- --seed ${seed} draws the same random cases`);
  const before = whole ? await cleanTree() : null;
  const rows = await runAll(chosen, prepare(chosen));
  writeUnsteady(rows);
  const { passed, failed } = totals(rows);
  const seconds = (performance.now() - start) / 1000;
  const processor = childSeconds();
  const builds = processor - rows.reduce((sum, row) => sum + row.processor, 0);
  console.log(`\n${table(rows)}\n${slowFiles(rows)}${unsteadyTests(rows)}`);
  if (depth === 'gate') console.log(overBudget(rows, lastSeconds()));
  console.log(failures(rows));
  const planned = depth === 'gate' && whole ? `, ${budget.seconds} s are planned (${budget.measured})` : '';
  console.log(
    `${command}: ${seconds.toFixed(0)} s; processor time ${processor.toFixed(0)} s, ${builds.toFixed(0)} s of it builds${planned}`
  );
  // A tree that a run has changed, or that was changed during the run, is not the tree that was tested.
  const after = before && (await cleanTree());
  if (before && after?.tree === before.tree) recordRun(before, { passed: failed === 0, command, seconds });
  if (failed === 0 && whole && depth === 'gate')
    recordSeconds(Object.fromEntries(rows.map(({ name, files }) => [name, files])));
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
