// Keeps a visited site usable without a network. Pages come from the network first, so that a new version shows at
// once; what they refer to has a hash in its name and comes from the cache first. Installing keeps what the site's
// doors need. A page that has shown its first figure then has the rest kept, file by file, while no page loads
// anything. The build fills in the constants.

const worker = /** @type {any} */ (self);

const version = 'VERSION';
/** The pages behind the site's doors, with the files that they load at once, but for the core. */
const doors = ['DOORS'];
/** All other files, but for the core. */
const others = ['OTHERS'];
/** The file of each build of the core. A visitor has the one that the engine runs. */
const cores = /** @type {Record<string, string>} */ ({ name: 'CORES' });

/** The page that stands for addresses without one. */
const MISSING = './404.html';
/** What is no property of the file: how it came here, and for which requests a host would send another. */
const OF_THE_WAY = ['Vary', 'Content-Encoding', 'Content-Length'];
/** Milliseconds without a request of a page, after which the line is free. */
const QUIET = 500;

const addressOf = (/** @type {string} */ file) => new URL(file, worker.location.href).href;

worker.addEventListener('install', (/** @type {any} */ event) => {
  event.waitUntil(Promise.all(doors.map(keep)).then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (/** @type {any} */ event) => {
  event.waitUntil(worker.clients.claim());
});

/** A page has shown its first figure. */
worker.addEventListener('message', (/** @type {any} */ event) => {
  event.waitUntil(keepRest(event.data));
});

/** The rest for the pages that have sent their message before. @type {Promise<unknown>} */
let before = Promise.resolve();

/** @param {import('../offline.js').Shown} shown */
function keepRest({ core, loaded }) {
  const own = [...doors, ...others].filter((file) => loaded.includes(addressOf(file)));
  before = before.then(() => keepInTurn([cores[core], ...own, ...others]));
  return before;
}

/**
 * Keeps one file after another while no page loads anything, and in the end drops what earlier versions have kept. A
 * file that does not come is asked for again by the next page.
 * @param {string[]} files
 */
async function keepInTurn(files) {
  for (const file of files) {
    if (await find(addressOf(file))) continue;
    await lineIsFree();
    await keep(file).catch(() => {});
  }
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== version).map((name) => caches.delete(name)));
}

/**
 * Keeps a file as an answer of its own. That of the host may be one that a cache refuses (`Vary: *`), that fits only
 * requests with the same headers (`Vary: Origin`), or that a page may not be opened with, as it was redirected to
 * another name.
 * @param {string} file
 */
async function keep(file) {
  const address = addressOf(file);
  const earlier = isHashed(file) && (await caches.match(address));
  const answer = earlier || (await fetch(file, { cache: isHashed(file) ? 'default' : 'no-cache', priority: 'low' }));
  const isMissing = file === MISSING; // hosts may send it as what it says: status 404
  if (!answer.ok && !isMissing) throw new Error(`${file} could not be kept: HTTP ${answer.status}`);
  const headers = new Headers(answer.headers);
  for (const name of OF_THE_WAY) headers.delete(name);
  if (isMissing) headers.delete('Content-Security-Policy'); // it brings its own, which knows its script
  const cache = await caches.open(version);
  await cache.put(address, new Response(answer.body, { headers }));
}

/** Requests of pages that no answer has come for. */
let unanswered = 0;
let lastAnswer = 0;

async function lineIsFree() {
  while (unanswered > 0 || Date.now() - lastAnswer < QUIET) await new Promise((resolve) => setTimeout(resolve, QUIET));
}

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== worker.location.origin) return;
  event.respondWith(noted(request.mode === 'navigate' ? opened(request) : answered(request)));
});

/** @param {Promise<Response>} answer */
async function noted(answer) {
  unanswered += 1;
  try {
    return await answer;
  } finally {
    unanswered -= 1;
    lastAnswer = Date.now();
  }
}

const isHashed = (/** @type {string} */ url) => /(^|\/)assets\//.test(url);

const find = (/** @type {Request | string} */ request) =>
  caches.match(request, { ignoreSearch: true, ignoreVary: true, cacheName: version });

/** @param {Request} request */
const answered = (request) => (isHashed(request.url) ? cached(request) : fetched(request));

/** @param {Request} request */
async function cached(request) {
  return (await find(request)) ?? fetch(request);
}

/** @param {Request} request */
async function fetched(request) {
  try {
    return await fetch(request);
  } catch (error) {
    const kept = await find(request);
    if (kept) return kept;
    throw error;
  }
}

/** A page. Where the host has none, it may be that the address lacks the slash at its end. @param {Request} request */
async function opened(request) {
  try {
    const answer = await fetch(request);
    return answer.status === 404 ? ((await withSlash(request)) ?? answer) : answer;
  } catch (error) {
    const kept = (await find(request)) ?? (await withSlash(request)) ?? (await missing());
    if (kept) return kept;
    throw error;
  }
}

/** @param {Request} request */
async function withSlash({ url }) {
  const page = new URL(url);
  page.pathname += '/';
  return (await find(page.href)) ? Response.redirect(page.href) : null;
}

async function missing() {
  const page = await find(addressOf(MISSING));
  return page && new Response(page.body, { status: 404, headers: page.headers });
}
