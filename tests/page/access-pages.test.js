import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { violations } from './axe.js';
import { openForm, openPage, seeEverything } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

for (const file of ['', 'run/', 'models/', 'guide/']) {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    for (const [width, height] of [
      [390, 844],
      [1280, 800]
    ]) {
      test(`axe finds nothing at /${file}, and nothing is wider than the screen, ${colorScheme}, ${width} wide`, async () => {
        const live = file !== 'guide/';
        site = await openPage({
          file,
          live,
          context: { colorScheme, viewport: { width, height }, reducedMotion: 'reduce' }
        });
        await seeEverything(site.page);
        assert.equal(await site.page.evaluate(() => document.documentElement.scrollWidth), width);
        for (const twin of await site.page.locator('details.twin summary:visible').all()) await twin.click();
        assert.deepEqual(await violations(site.page), []);
        if (!live) return;
        await openForm(site.page);
        await site.page.fill('#field-hidden_size', 'wide');
        assert.deepEqual(await violations(site.page), []);
      });
    }
  }
}
