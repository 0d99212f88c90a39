// One Chromium a test file. Pages of one file that ask for the same share a context, so that the second and every later
// one finds the process that the first one started: three times as quick as a context of its own.

import { after } from 'node:test';
import { launch } from '../chromium.js';
import { onFailure } from './failures.js';
import { serve } from './server.js';

/** @typedef {import('playwright-core').BrowserContextOptions} Options */
/** @typedef {Awaited<ReturnType<typeof serve>>} Site */
/** @typedef {import('playwright-core').BrowserContext} Context */
/** @typedef {{ context: Context, site: Site, close: () => Promise<void> }} Place what a page is opened in */

/** @type {ReturnType<typeof launch> | undefined} */
let starting;
/** @type {ReturnType<typeof serve> | undefined} */
let serving;
/** Contexts that no page is open in, by what was asked for. @type {Map<string, Kept[]>} */
const free = new Map();

let ended = false;
after(async () => {
  ended = true;
  await (await starting)?.close();
  await (await serving)?.close();
});

/** Waits end after it, and name what they waited for: a page that works needs a tenth, also on a busy machine. */
const HANGS_MS = 30_000;

/** Empty pages, which keep a process alive. @type {WeakSet<import('playwright-core').Page>} */
const idlePages = new WeakSet();

onFailure(async () => {
  const contexts = (await starting)?.contexts() ?? [];
  return contexts.flatMap((context) => context.pages()).filter((page) => !idlePages.has(page));
});

/** A context that nothing else shares. @param {Options} [options] */
export async function newContext(options = {}) {
  starting ??= launch(['--process-per-site']); // for shared contexts: all pages of one have one process
  const context = await (await starting).newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(HANGS_MS);
  return context;
}

/**
 * A context of one's own, with a server of one's own.
 * @param {import('./server.js').Hosting} hosting
 * @param {Options} options
 * @returns {Promise<Place>}
 */
export async function ownPlace(hosting, options) {
  const [site, context] = await Promise.all([serve(hosting), newContext(options)]);
  const close = async () => {
    await context.close();
    await site.close();
  };
  return { context, site, close };
}

/**
 * A context that a page before has left, with nothing in it that this page stored, and this file's server. There is no
 * service worker.
 * @param {Options} options
 * @returns {Promise<Place>}
 */
export async function sharedPlace(options) {
  const site = await (serving ??= serve());
  const key = JSON.stringify(options);
  const kept = free.get(key)?.pop() ?? (await Kept.open(site, { ...options, serviceWorkers: 'block' }));
  const close = async () => {
    if (ended) return;
    await kept.clear();
    free.set(key, [...(free.get(key) ?? []), kept]);
  };
  return { context: kept.context, site, close };
}

/** A context with an empty page of the site, which keeps the site's process alive. */
class Kept {
  /** @param {Context} context @param {import('playwright-core').Page} idle @param {Site} site */
  constructor(context, idle, site) {
    this.context = context;
    this.idle = idle;
    this.site = site;
  }

  /** @param {Site} site @param {Options} options */
  static async open(site, options) {
    const context = await newContext(options);
    const idle = await context.newPage();
    idlePages.add(idle);
    await idle.goto(`${site.url}host.html`);
    return new Kept(context, idle, site);
  }

  /** Closes what was opened in it, and forgets what was stored. */
  async clear() {
    const { context, idle, site } = this;
    await Promise.all(context.pages().map((page) => page !== idle && page.close()));
    await context.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    await context.clearCookies();
    const session = await context.newCDPSession(idle);
    await session.send('Storage.clearDataForOrigin', { origin: new URL(site.url).origin, storageTypes: 'all' });
    await session.detach();
  }
}
