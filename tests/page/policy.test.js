// The element and the module under a Content-Security-Policy: those that docs/pages.md names, and one without
// WebAssembly.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { project } from '../../tools/folders.js';
import { headers } from '../../tools/headers.js';
import { figure, openPage, until } from './open-page.js';
import { pages } from './server.js';

/** @type {Awaited<ReturnType<typeof openPage>> | undefined} */
let site;
afterEach(() => site?.close());

const WASM = " 'wasm-unsafe-eval'";
const manual = readFileSync(join(project, 'docs/pages.md'), 'utf8');
const documented = [...manual.matchAll(/^(default-src .*)$/gm)].map(([policy]) => policy);

/** @param {string} policy */
async function openHost(policy) {
  const page = `<!doctype html><html lang="en"><meta http-equiv="Content-Security-Policy" content="${policy}"><title>A page</title><attnscope-calculator layer="additive_scorer" hidden_size="256"></attnscope-calculator><script type="module" src="element/index.js"></script></html>`;
  site = await openPage({ page, file: 'host.html', folder: project, isolated: false, live: false });
  return site.page;
}

/** What the page was forbidden, but for its icon, which the element has nothing to do with. */
const forbidden = () => site?.problems.violations.filter((text) => !text.includes('favicon'));

test('the manual names a policy without Trusted Types and one with them', () => {
  assert.deepEqual(
    documented.map((policy) => policy.includes('require-trusted-types-for')),
    [false, true]
  );
});

for (const policy of documented)
  test(`the element works, its run included, under ${policy}`, async () => {
    const page = await openHost(policy);
    await page.waitForSelector('.figures');
    assert.equal(await figure(page, 'parameters'), '33,025');
    await page.fill('#field-hidden_size', '512');
    assert.equal(await figure(page, 'parameters'), '65,793');
    for (const [part, loaded] of [
      ['#run', '[data-run="fresh"]'],
      ['#compare', '[data-chart="alternatives"] svg'],
      ['#pytorch', '.hljs-keyword']
    ]) {
      await page.locator(part).scrollIntoViewIfNeeded();
      await page.waitForSelector(loaded);
    }
    assert.deepEqual(forbidden(), []);
  });

test('the element and whoever else imports the library share one Trusted Types policy: a page lets it be made once', async () => {
  const page = await openHost(String(documented.at(-1)));
  await page.waitForSelector('.figures');
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-run="fresh"]'); // in a worker, which it has started
  const address = await page.evaluate(async () => {
    const file = './web/lib/policy.js';
    const { trustedUrl } = await import(file);
    const { trustedTypes } = /** @type {any} */ (globalThis);
    return String(trustedUrl(trustedTypes, 'worker.js'));
  });
  assert.equal(address, 'worker.js');
  assert.deepEqual(forbidden(), []);
});

test("under default-src 'self' alone the element says what the policy lacks", async () => {
  const page = await openHost("default-src 'self'");
  assert.equal(
    await page.locator('attnscope-calculator [role=alert]').innerText(),
    "WebAssembly could not be started: the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval' to its script-src, as in script-src 'self' 'wasm-unsafe-eval'"
  );
});

/** The alert of each element that is no part of another; '' while it says nothing. */
const alerts = () => {
  const elements = [...document.querySelectorAll('*')].filter(({ localName }) => localName.startsWith('attnscope-'));
  return elements
    .filter((element) => !elements.some((other) => other !== element && other.contains(element)))
    .map((element) => (element.shadowRoot ?? element).querySelector('[role=alert]')?.textContent ?? '');
};

for (const file of pages)
  test(`/${file}: where a policy forbids WebAssembly, each element that computes says so, in view`, async () => {
    site = await openPage({ file, policy: headers['Content-Security-Policy'].replace(WASM, ''), live: false });
    const { page } = site;
    await page.waitForSelector('.theme:not([hidden])', { state: 'attached' });
    await until(async () => !(await page.evaluate(alerts)).includes(''), 'an alert of each element');
    for (const alert of await page.evaluate(alerts))
      assert.match(
        alert,
        /could not be .*: the page's Content-Security-Policy forbids WebAssembly: add 'wasm-unsafe-eval'/
      );
    assert.equal(await page.locator('.train-no-map:has-text("too large")').count(), 0);
  });
