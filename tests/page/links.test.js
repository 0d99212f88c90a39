// Every link of every page leads to a page of the site and, with a fragment, to a place on it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LIVE, openPage } from './open-page.js';
import { pages } from './server.js';

test('every link of every page, and every fragment, leads somewhere', async () => {
  const site = await openPage({ live: false, file: 'guide/', context: { serviceWorkers: 'block' } });
  const { page } = site;
  const { url } = site.site;
  /** Ids by the path of their page. @type {Map<string, Set<string>>} */
  const places = new Map();
  /** @type {[string, string][]} Pages, and where they link to. */
  const links = [];
  for (const folder of pages) {
    await page.goto(url + folder);
    const before = await page.evaluate(found);
    if (before.ids.includes('field-layer')) await page.waitForSelector(LIVE, { state: 'attached' });
    const after = await page.evaluate(found);
    places.set(new URL(url + folder).pathname, new Set([...before.ids, ...after.ids]));
    for (const link of new Set([...before.links, ...after.links])) links.push([`/${folder}`, link]);
  }
  await site.close();
  const own = links.filter(([, link]) => link.startsWith(url));
  assert.ok(places.size > 20 && own.length > 300, `${places.size} pages, ${own.length} links`);
  const dead = own.filter(([, link]) => {
    const { pathname, hash } = new URL(link);
    const ids = places.get(pathname);
    return !ids || (hash && !ids.has(decodeURIComponent(hash.slice(1))));
  });
  assert.deepEqual(dead, []);
});

/** The places of a page, and where it links to. */
const found = () => ({
  ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
  links: [...document.querySelectorAll('a[href]')].map((link) => /** @type {HTMLAnchorElement} */ (link).href)
});
