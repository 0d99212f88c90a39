import { LitElement } from 'lit';

/** Renders among its own children, so that the page's or the calculator's styles, labels and anchors reach inside. */
export class LightElement extends LitElement {
  createRenderRoot() {
    return this;
  }
}

/** @param {string} name @param {CustomElementConstructor} type */
export function define(name, type) {
  if (!customElements.get(name)) customElements.define(name, type);
}
