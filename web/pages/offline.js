/** Registers the service worker of the built site; the development server has none. */
export function registerOffline() {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register(`${document.documentElement.dataset.root ?? './'}service-worker.js`).catch(() => {
    // Not a secure origin, or not allowed here: the page works, online.
  });
}
