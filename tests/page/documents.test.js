// The pages of the guide that are made of docs/*.md, and the elements that stand live on one of them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { open } from 'attnscope';
import { project } from '../../tools/folders.js';
import { formatShort } from '../../web/plain/format.js';
import { violations } from './axe.js';
import { openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});

const DOCUMENTS = {
  'guide/conventions/': 'counting.md',
  'guide/api/': 'javascript.md',
  'guide/training/': 'training.md',
  'guide/embedding/': 'pages.md'
};

for (const [file, name] of Object.entries(DOCUMENTS)) {
  const source = readFileSync(join(project, 'docs', name), 'utf8');
  const lines = source.split('\n');

  test(`/${file} has all of docs/${name}, without JavaScript too`, async () => {
    site = await openPage({ file, live: false, context: { javaScriptEnabled: false } });
    const { page } = site;
    const shown = (/** @type {string} */ selector) => page.locator(`.document ${selector}`).allInnerTexts();
    assert.deepEqual(
      await shown('h2'),
      lines.filter((line) => line.startsWith('## ')).map((line) => line.slice(3))
    );
    assert.equal((await shown('pre')).length, lines.filter((line) => line.startsWith('```')).length / 2);
    assert.equal(
      (await shown('tbody tr')).length,
      lines.filter((line) => /^\| (?!---)/.test(line)).length - tables(lines)
    );
    assert.equal(await page.locator('.contents li').count(), (await shown('h2')).length);
    assert.ok((await shown('h2')).length > 1);
  });

  test(`axe finds nothing at /${file}, and nothing is wider than a phone`, async () => {
    for (const [colorScheme, width] of /** @type {const} */ ([
      ['light', 390],
      ['dark', 1280]
    ])) {
      site = await openPage({ file, live: false, context: { colorScheme, viewport: { width, height: 844 } } });
      await site.page.waitForLoadState('networkidle');
      assert.deepEqual(await violations(site.page), []);
      assert.equal(await site.page.evaluate(() => document.documentElement.scrollWidth), width);
      if (width > 390) continue;
      const cut = await site.page
        .locator('.document :is(.scroller, pre)')
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent));
      assert.deepEqual(cut, []);
      await site.close();
    }
  });

  test(`every link of /${file} leads to a place that is there`, async () => {
    site = await openPage({ file, live: false });
    const links = await site.page
      .locator('.document a, .contents a, .subnav a')
      .evaluateAll((all) => all.map((link) => /** @type {HTMLAnchorElement} */ (link).href));
    for (const link of new Set(links.filter((one) => one.startsWith(site.site.url)))) {
      const answer = await site.page.goto(link);
      assert.ok((answer?.status() ?? 200) < 400, link);
      const id = decodeURIComponent(new URL(link).hash.slice(1));
      if (id) assert.equal(await site.page.locator(`[id="${id}"]`).count(), 1, link);
    }
  });
}

/** How many tables there are. @param {string[]} lines */
const tables = (lines) => lines.filter((line) => /^\| *---/.test(line)).length;

test('the elements on the page are those of the lines above them, with the figures of the module', async () => {
  site = await openPage({ file: 'guide/embedding/', live: false });
  const { page } = site;
  const scope = await open({ threads: 1 });
  await page.waitForFunction(() =>
    [...document.querySelectorAll('attnscope-calculator')].every((one) => one.shadowRoot?.querySelector('.figures'))
  );
  for (const example of await page.locator('.example').all()) {
    const text = await example.locator('pre').innerText();
    const elements = await example.locator('attnscope-calculator').all();
    assert.equal(elements.length, text.match(/<attnscope-calculator /g)?.length);
    for (const element of elements) {
      const layer = (await element.getAttribute('layer')) ?? '';
      for (const name of await element.evaluate((one) => one.getAttributeNames()))
        assert.ok(text.includes(`${name}="${await element.getAttribute(name)}"`), name);
      const { parameters } = scope.estimate(/** @type {any} */ ({ layer }));
      const said = await element.locator('[data-figure="parameters"] .figure-value').innerText();
      assert.equal(said.replace(/\s/g, ''), formatShort(parameters).replace(/\s/g, ''));
    }
  }
  const accent = await page
    .locator('.embedded-own attnscope-calculator')
    .evaluate((one) => getComputedStyle(one).getPropertyValue('--accent').trim());
  assert.ok((await page.locator('.example pre').nth(1).innerText()).includes(`--accent: ${accent};`));
});
