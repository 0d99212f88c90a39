import { LitElement } from 'lit';
import { keepClicks } from './clicks.js';

/** Renders among its own children, so that the page's or the calculator's styles, labels and anchors reach inside. */
export class LightElement extends LitElement {
  createRenderRoot() {
    return this;
  }

  /** Removes the static content. What was pressed there is done once the live one stands in its place. */
  takeOver() {
    const click = keepClicks(this);
    this.replaceChildren();
    click();
  }

  /**
   * Updates. If that removes the button that had the focus, another one gets it.
   * @param {string} going the buttons that may be removed, as a CSS selector
   * @param {string} heir the one that gets the focus
   * @param {() => void} update
   */
  handFocus(going, heir, update) {
    const focused = this.querySelector(`:is(${going}):focus`);
    update();
    if (focused?.isConnected === false)
      /** @type {HTMLElement | null} */ (this.querySelector(heir))?.focus({ preventScroll: true });
  }
}

/** @param {string} name @param {CustomElementConstructor} type */
export function define(name, type) {
  if (!customElements.get(name)) customElements.define(name, type);
}
