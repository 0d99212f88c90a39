// Keeps a visited site usable without a network. Pages come from the network first, so that a new version shows at
// once; what they refer to has a hash in its name and comes from the cache first. The build fills in both constants.

const worker = /** @type {any} */ (self);

const version = 'VERSION';
const files = ['FILES'];

/** The page that stands for addresses without one. */
const MISSING = './404.html';
/** What is no property of the file: how it came here, and for which requests a host would send another. */
const OF_THE_WAY = ['Vary', 'Content-Encoding', 'Content-Length'];

worker.addEventListener('install', (/** @type {any} */ event) => {
  event.waitUntil(
    caches
      .open(version)
      .then((cache) => Promise.all(files.map((file) => keep(cache, file))))
      .then(() => worker.skipWaiting())
  );
});

/**
 * Keeps a file as an answer of its own. That of the host may be one that a cache refuses (`Vary: *`), that fits only
 * requests with the same headers (`Vary: Origin`), or that a page may not be opened with, as it was redirected to
 * another name.
 * @param {Cache} cache @param {string} file
 */
async function keep(cache, file) {
  const answer = await fetch(file, { cache: isHashed(file) ? 'default' : 'no-cache' });
  const isMissing = file === MISSING; // hosts may send it as what it says: status 404
  if (!answer.ok && !isMissing) throw new Error(`${file} could not be kept: HTTP ${answer.status}`);
  const headers = new Headers(answer.headers);
  for (const name of OF_THE_WAY) headers.delete(name);
  if (isMissing) headers.delete('Content-Security-Policy'); // it brings its own, which knows its script
  await cache.put(new URL(file, worker.location.href), new Response(answer.body, { headers }));
}

worker.addEventListener('activate', (/** @type {any} */ event) => {
  event.waitUntil(dropOthers().then(() => worker.clients.claim()));
});

async function dropOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== version).map((name) => caches.delete(name)));
}

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method !== 'GET' || new URL(request.url).origin !== worker.location.origin) return;
  if (request.mode === 'navigate') event.respondWith(opened(request));
  else event.respondWith(isHashed(request.url) ? cached(request) : fetched(request));
});

const isHashed = (/** @type {string} */ url) => /\/assets\//.test(url);

const find = (/** @type {Request | string} */ request) =>
  caches.match(request, { ignoreSearch: true, ignoreVary: true, cacheName: version });

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
  const page = await find(new URL(MISSING, worker.location.href).href);
  return page && new Response(page.body, { status: 404, headers: page.headers });
}
