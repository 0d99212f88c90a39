/**
 * @typedef {{ core: string, loaded: string[] }} Shown the build of the core that this engine runs, and the addresses of
 *   the page and of what it has loaded
 */

/**
 * Registers the service worker of the built site, and tells it what this page has loaded, so that it keeps the rest.
 * The development server has no service worker. A visitor who saves data keeps nothing.
 */
export function registerOffline() {
  const { serviceWorker, connection } = /** @type {any} */ (navigator);
  if (!import.meta.env.PROD || !serviceWorker || connection?.saveData) return;
  const tell = () => serviceWorker.controller?.postMessage(shown());
  serviceWorker.addEventListener('controllerchange', tell);
  tell();
  serviceWorker.register(`${document.documentElement.dataset.root ?? './'}service-worker.js`).catch(() => {
    // Not a secure origin, or not allowed here: the page works, online.
  });
}

/** @returns {Shown} */
function shown() {
  const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return {
    core: document.documentElement.dataset.core ?? '',
    loaded: entries.map(({ name }) => name.replace(/[?#].*/, ''))
  };
}
