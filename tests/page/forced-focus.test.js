// In the reader's own colours, which the browser forces upon the page: the focus, and a theme that was chosen before.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { openForced, visible } from './forced.js';
import { openTabOf } from './open-page.js';
import { contrast, differing, pixelsOf } from './screen.js';

/** @type {Awaited<ReturnType<typeof openForced>>['site']} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

/** @param {'light' | 'dark'} scheme @param {string} [theme] @param {string} [file] */
async function opened(scheme, theme, file) {
  const { site: own, ...rest } = await openForced(scheme, theme, file);
  site = own;
  return rest;
}

/** What can have the focus, by the page that has it. */
const FOCUSABLE = {
  '': [
    '#field-layer',
    '#field-seq_len',
    '.slider',
    'input[name=dtype]:checked',
    '.switch',
    '.chip',
    '.see',
    'input[name=theme]:checked',
    '.top nav a',
    '.entries a',
    '[role=tab]',
    'input[name=metric]:checked',
    '#compare details.twin summary'
  ],
  'run/': [
    'canvas.heat',
    'input[name=plane]:checked',
    'select[name=inputs]',
    '#run details.twin summary',
    '.link',
    '.subnav a'
  ]
};

for (const [file, selectors] of Object.entries(FOCUSABLE)) {
  test(`what has the focus shows it, at /${file}`, async () => {
    const { page } = await opened('dark', undefined, file);
    await page.keyboard.press('Tab');
    for (const selector of selectors) {
      await openTabOf(page, selector);
      await page.keyboard.press('Tab'); // after a click the focus of a link would not be shown
      const element = page.locator(selector).first();
      const shown = await element.evaluateHandle((/** @type {any} */ one) =>
        one.type === 'radio' ? one.parentElement.querySelector('span, canvas') : one
      );
      await shown.scrollIntoViewIfNeeded();
      await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement).blur());
      const before = await pixelsOf(shown, 8);
      await element.focus();
      const after = await pixelsOf(shown, 8);
      const { width, height } = before;
      assert.ok(
        differing(before, after) > width + height,
        `${selector}: ${differing(before, after)} pixels of ${width} × ${height}`
      );
    }
  });
}

for (const [scheme, theme] of [
  ['light', 'dark'],
  ['dark', 'light']
]) {
  test(`a theme that was chosen before does not bring its ground or its text back: ${theme} on ${scheme}`, async () => {
    const { page, ground } = await opened(/** @type {any} */ (scheme), theme);
    assert.ok(contrast(ground, scheme === 'light' ? [0, 0, 0] : [255, 255, 255]) > 7, `the ground is ${ground}`);
    for (const selector of ['h1', '.figure-value', '.panel-note', '.legend li', '.code']) {
      await openTabOf(page, selector);
      await page.keyboard.press('Tab'); // after a click the focus of a link would not be shown
      const { all } = await pixelsOf(page.locator(selector).first());
      assert.ok(visible(all, ground) > 0.01, selector);
    }
  });
}
