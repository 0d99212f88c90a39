// The lower panels of an embedded calculator. Until its code is there a panel is an empty box of about its later height
// (layout.css), so that nothing moves when it is filled.

const panels = /** @type {Record<string, () => Promise<unknown>>} */ ({
  'attnscope-charts': () => import('./charts/chart-panel.js'),
  'attnscope-run': () => import('./run/run-panel.js'),
  'attnscope-code': () => import('./code/code-panel.js'),
  'attnscope-import': () => import('./import/import-panel.js')
});

/**
 * Loads a panel's code when the panel comes near the screen, and that of all when the focus comes in: Tab must find
 * what they hold.
 */
export class LazyPanels {
  /** @param {import('lit').LitElement} host */
  constructor(host) {
    this.host = host;
    this.observer = new IntersectionObserver(
      (entries) => {
        for (const { isIntersecting, target } of entries) if (isIntersecting) this.#load(target);
      },
      { rootMargin: '400px' }
    );
    host.addEventListener('focusin', () => this.#panels().forEach((panel) => this.#load(panel)), { once: true });
  }

  #panels() {
    return [...this.host.renderRoot.querySelectorAll(Object.keys(panels).join())];
  }

  hostUpdated() {
    for (const panel of this.#panels()) this.observer.observe(panel);
  }

  /** @param {Element} panel */
  async #load(panel) {
    this.observer.unobserve(panel);
    await panels[panel.localName]().catch((error) => {
      panel.textContent = `This part could not be loaded: ${error.message}`;
    });
  }
}
