// A reporter for node:test: failures in full, nothing of what passes, and last for tools/counts.js three lines: the
// failed tests, the seconds of each file, and the counts.

import { relative } from 'node:path';
import { inspect } from 'node:util';
import { project } from './folders.js';

/**
 * @typedef {{ name: string, file?: string, line?: number, nesting: number, skip?: unknown, todo?: unknown,
 *   message: string, details: { type?: string, duration_ms?: number, error: any } }} Data
 */

/**
 * Counts tests; `describe` blocks only hold them, and a test that fails because one inside it did is that same failure.
 * @param {AsyncIterable<{ type: string, data: Data }>} events
 */
export default async function* report(events) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  /** @type {Record<string, number>} */
  const seconds = {};
  /** @type {import('./counts.js').Failure[]} */
  const failures = [];
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message;
    const { file, nesting } = data;
    if (/^test:(pass|fail)$/.test(type) && file && nesting === 0) {
      const name = relative(project, file);
      seconds[name] = (seconds[name] ?? 0) + (data.details.duration_ms ?? 0) / 1000;
    }
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details.type === 'suite') continue;
    if (data.skip !== undefined || data.todo !== undefined) counts.skipped++;
    else if (type === 'test:pass') counts.passed++;
    else if (data.details.error?.failureType !== 'subtestsFailed') {
      counts.failed++;
      const text = describe(data);
      failures.push({ name: data.name, file: relative(project, file ?? data.name), text });
      yield text;
    }
  }
  if (failures.length > 0) yield `failed ${JSON.stringify(failures)}\n`;
  yield `seconds ${JSON.stringify(seconds)}\n`;
  yield `counts ${JSON.stringify(counts)}\n`;
}

/** @param {Data} data */
function describe({ name, file, line, details }) {
  const error = details.error?.cause ?? details.error;
  return `failed: ${name} (${file ?? 'no file'}:${line ?? 0})\n${(error?.stack ?? inspect(error)).replaceAll(/^/gm, '  ')}\n`;
}
