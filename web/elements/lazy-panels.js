// The lower panels of an embedded calculator. Until its code is there a panel is an empty box of about its later height
// (layout.css), so that nothing moves when it is filled.

/** @typedef {{ code: () => Promise<unknown>, styles?: () => Promise<{ default: string }> }} Panel */

const styles = () => import('./styles/panels.css?inline');

const panels = /** @type {Record<string, Panel>} */ ({
  'attnscope-charts': { code: () => import('./charts/chart-panel.js') },
  'attnscope-run': { styles, code: () => import('./run/run-panel.js') },
  'attnscope-code': { code: () => import('./code/code-panel.js') },
  'attnscope-import': { styles, code: () => import('./import/import-panel.js') }
});

/**
 * Panels of all elements in the page: code that one of them loads fills its panel in every element.
 * @type {Set<LazyPanels>}
 */
const connected = new Set();
/** Styles of panels, once some panel has asked for them. @type {CSSStyleSheet | null} */
let sheet = null;

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

  hostConnected() {
    connected.add(this);
  }

  hostDisconnected() {
    connected.delete(this);
  }

  hostUpdated() {
    for (const panel of this.#panels()) this.observer.observe(panel);
    this.#style();
  }

  /** @param {Element} panel */
  async #load(panel) {
    this.observer.unobserve(panel);
    const { code, styles: load } = panels[panel.localName];
    try {
      if (load) LazyPanels.addStyles((await load()).default); // first: once its code is there, the panel shows itself
      await code();
    } catch (error) {
      panel.textContent = `This part could not be loaded: ${/** @type {Error} */ (error).message}`;
    }
  }

  /** Puts the styles of panels before the last sheet. The page of a light element has them. */
  #style() {
    const { renderRoot: root } = this.host;
    if (!sheet || !(root instanceof ShadowRoot) || root.adoptedStyleSheets.includes(sheet)) return;
    root.adoptedStyleSheets = root.adoptedStyleSheets.toSpliced(-1, 0, sheet);
  }

  /** @param {string} text */
  static addStyles(text) {
    if (sheet) return;
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    for (const panels of connected) panels.#style();
  }
}
