// A reporter for node:test: failures in full, nothing of what passes, and one last line with the counts.

import { inspect } from 'node:util';

/**
 * @typedef {{ name: string, file?: string, line?: number, nesting: number, skip?: unknown, todo?: unknown,
 *   message: string, details: { type?: string, error: any } }} Data
 */

/**
 * Counts tests; `describe` blocks only hold them, and a test that fails because one inside it did is that same failure.
 * @param {AsyncIterable<{ type: string, data: Data }>} events
 */
export default async function* report(events) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') yield data.message;
    if ((type !== 'test:pass' && type !== 'test:fail') || data.details.type === 'suite') continue;
    if (data.skip !== undefined || data.todo !== undefined) counts.skipped++;
    else if (type === 'test:pass') counts.passed++;
    else if (data.details.error?.failureType !== 'subtestsFailed') {
      counts.failed++;
      yield describe(data);
    }
  }
  yield `counts ${JSON.stringify(counts)}\n`;
}

/** @param {Data} data */
function describe({ name, file, line, details }) {
  const error = details.error?.cause ?? details.error;
  return `failed: ${name} (${file ?? 'no file'}:${line ?? 0})\n${(error?.stack ?? inspect(error)).replaceAll(/^/gm, '  ')}\n`;
}
