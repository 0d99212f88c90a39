// Keeps a visited site usable without a network. Pages come from the network first, so that a new version shows at
// once; what they refer to has a hash in its name and comes from the cache first. The build fills in both constants.

const worker = /** @type {any} */ (self);

const version = 'VERSION';
const files = ['FILES'];

worker.addEventListener('install', (/** @type {any} */ event) => {
  event.waitUntil(
    caches
      .open(version)
      .then((cache) => cache.addAll(files))
      .then(() => worker.skipWaiting())
  );
});

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
  event.respondWith(isHashed(request.url) ? cached(request) : fetched(request));
});

const isHashed = (/** @type {string} */ url) => /\/assets\//.test(url);

const find = (/** @type {Request} */ request) => caches.match(request, { ignoreSearch: true, cacheName: version });

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
