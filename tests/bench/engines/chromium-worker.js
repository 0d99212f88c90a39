// One runtime in a worker of a page of its own: `chromium-worker.js?runtime=NAME&threads=COUNT`. A classic worker,
// because TensorFlow.js and LiteRT.js load themselves by importScripts.

const asked = new URLSearchParams(location.search);
const threads = Number(asked.get('threads'));
if (!crossOriginIsolated) throw new Error('not cross-origin isolated: no threads, and coarse timers');
// Runtimes that take as many threads as there are cores take as many as they are meant to.
Object.defineProperty(navigator, 'hardwareConcurrency', { value: threads });

const obeying = import('../orders.js').then(({ contestant }) => contestant(asked.get('runtime') ?? '', threads));

self.addEventListener('message', async ({ data }) => {
  const answer = await obeying.then(
    (obey) => obey(data),
    (error) => ({ error: String(error) })
  );
  /** @type {any} */ (self).postMessage(answer);
});
