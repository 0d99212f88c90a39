// The speed page under test: how it is opened, measured and read.

import assert from 'node:assert/strict';
import { pageWorkloads } from '../../web/plain/workloads.js';
import { openPage } from './open-page.js';

/** One timing of each layer. @param {Parameters<typeof openPage>[0]} [options] */
export async function openSpeed(options) {
  const site = await openPage({ file: 'speed/', search: '?runs=1', live: false, ...options });
  await site.page.waitForFunction(() => /** @type {any} */ (document.querySelector('attnscope-speed'))?.hasUpdated);
  return site;
}

/** @param {import('playwright-core').Page} page */
export async function measure(page) {
  await page.click('[data-action="measure"]');
  await page.waitForSelector('[data-action="cancel"]');
  await measuredAll(page);
}

/** The page itself says that a measurement takes up to half a minute; longer beside other work. */
const MEASURED_MS = 120_000;

/** @param {import('playwright-core').Page} page */
export const measuredAll = (page) =>
  page.waitForSelector('[data-action="measure"][aria-disabled="false"]', { timeout: MEASURED_MS });

/** The cells of each layer. @param {import('playwright-core').Page} page */
export const cells = (page) =>
  page
    .locator('tr[data-workload]')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? '')));

export const measured = [
  /^[\d.,]+\s(s|ms|µs)$/,
  /^[\d.,]+$/,
  /^\d+\s%$/,
  /^[\d.,]+$/,
  /^\d+$/,
  /^(arithmetic|memory traffic)$/
];
export const empty = [/^–$/, /^–$/, /^–$/, /^[\d.,]+$/, /^–$/, /^–$/];

/** @param {string[][]} rows @param {RegExp[]} wanted */
export function assertCells(rows, wanted) {
  assert.equal(rows.length, pageWorkloads.length);
  for (const [title, ...row] of rows) wanted.forEach((pattern, column) => assert.match(row[column], pattern, title));
}
