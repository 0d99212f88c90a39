import { LitElement } from 'lit';

/** Renders among its own children, so that the page's or the calculator's styles, labels and anchors reach inside. */
export class LightElement extends LitElement {
  createRenderRoot() {
    return this;
  }

  /**
   * Updates, and where a button goes that had the focus, another takes it.
   * @param {string} going those that may go, as a CSS selector
   * @param {string} heir the other
   * @param {() => void} update
   */
  handFocus(going, heir, update) {
    const focused = this.querySelector(`:is(${going}):focus`);
    update();
    if (focused?.isConnected === false) /** @type {HTMLElement | null} */ (this.querySelector(heir))?.focus({ preventScroll: true });
  }
}

/** @param {string} name @param {CustomElementConstructor} type */
export function define(name, type) {
  if (!customElements.get(name)) customElements.define(name, type);
}
