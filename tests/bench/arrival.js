// npm run bench -- --arrival: the seconds until a visitor of the site sees the first live figure, on a slow phone.
// Chromium throttles the network to slow 4G and the processor to a quarter. The server is that of `npm start`. Cold is
// a new profile without a service worker, warm the next visit of the same profile.

import { build } from '../../tools/build.js';
import { ensureCommands } from '../../tools/packages.js';
import { median } from '../../web/plain/timing.js';
import { launch } from '../chromium.js';
import { serveAsStart } from '../page/hosts.js';
import { LIVE } from '../page/server.js';

/** @typedef {{ paint: number, live: number, kB: number }} Visit seconds, and what the network carried until then */

const RUNS = 5;
/** Slow 4G: bytes per second in both directions, and milliseconds. */
const NETWORK = { offline: false, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8, latency: 150 };
const CPU_SLOWDOWN = 4;

/** Each link asks for a layer that the static page does not show. */
const LINKS = { calculator: '?layer=additive_scorer&hidden_size=512', run: 'run/?layer=additive_scorer' };

/** Notes in the page when the element first answers. @param {string} live */
function watchForLive(live) {
  const page = /** @type {any} */ (globalThis);
  const look = () => {
    if (document.querySelector(live)) page.liveAfter ??= performance.now();
  };
  new MutationObserver(look).observe(document, { childList: true, subtree: true });
}

/**
 * @param {import('playwright-core').BrowserContext} context
 * @param {string} url
 * @returns {Promise<Visit>}
 */
async function visit(context, url) {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  await page.addInitScript(watchForLive, LIVE);
  await page.goto(url, { waitUntil: 'commit' });
  await page.waitForSelector(LIVE, { state: 'attached' });
  const kB = bytes / 1000;
  const [paint, live] = await page.evaluate(() => [
    performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    /** @type {any} */ (globalThis).liveAfter
  ]);
  await page.close();
  return { paint: paint / 1000, live: live / 1000, kB };
}

/** @param {Visit[]} visits */
function show(visits) {
  const of = (/** @type {keyof Visit} */ name) => visits.map((visit) => visit[name]);
  const seconds = (/** @type {number[]} */ all) => `${median(all).toFixed(2)} s`;
  return `first paint ${seconds(of('paint'))}, first live figure ${seconds(of('live'))} (at most ${Math.max(...of('live')).toFixed(2)}), ${median(of('kB')).toFixed(0)} kB`;
}

export async function timeArrival() {
  await ensureCommands(['chromium']);
  await build();
  const [site, browser] = await Promise.all([serveAsStart(), launch()]);
  try {
    for (const [name, link] of Object.entries(LINKS)) {
      /** @type {Visit[]} */
      const cold = [];
      /** @type {Visit[]} */
      const warm = [];
      for (let i = 0; i < RUNS; i++) {
        const context = await browser.newContext({ serviceWorkers: 'block', viewport: { width: 390, height: 844 } });
        cold.push(await visit(context, site.url + link));
        warm.push(await visit(context, site.url + link));
        await context.close();
      }
      console.log(`${name}, cold: ${show(cold)}`);
      console.log(`${name}, warm: ${show(warm)}`);
    }
  } finally {
    await browser.close();
    await site.close();
  }
}
