// axe-core's findings on a page.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** @param {import('playwright-core').Page} page */
export async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations'] })
  );
  return found.violations.flatMap((/** @type {any} */ rule) =>
    rule.nodes.map((/** @type {any} */ node) => `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary}`)
  );
}
