// A row of tabs over the panels of a calculator.

import { html } from 'lit';
import { TABS } from './panels.js';

/** @typedef {import('./panels.js').Panel} Panel */

/** Tabs that have a panel. @param {readonly Panel[]} panels */
export const tabsOf = (panels) => TABS.filter((tab) => tab.panels.some((panel) => panels.includes(panel)));

/**
 * @param {readonly Panel[]} panels @param {string} chosen
 * @param {(id: string) => void} choose
 */
export function tabsView(panels, chosen, choose) {
  const tabs = tabsOf(panels);
  const move = (/** @type {KeyboardEvent} */ event) => {
    const to = target(
      event.key,
      tabs.findIndex(({ id }) => id === chosen),
      tabs.length
    );
    if (to === null) return;
    event.preventDefault();
    choose(tabs[to].id);
    const row = /** @type {Element} */ (event.currentTarget);
    /** @type {HTMLElement} */ (row.children[to]).focus();
  };
  return html`
    <div class="tabs" part="tabs" role="tablist" aria-label="About the layer" @keydown=${move}>${tabs.map(
      ({ id, title }) => html`
      <button type="button" role="tab" id=${`tab-${id}`} data-tab=${id} aria-controls=${`panel-${id}`}
        aria-selected=${id === chosen ? 'true' : 'false'} tabindex=${id === chosen ? 0 : -1} @click=${() => choose(id)}>${title}</button>`
    )}
    </div>`;
}

/** Which tab a key leads to. @param {string} key @param {number} at @param {number} count */
function target(key, at, count) {
  const steps = /** @type {Record<string, number>} */ ({ ArrowRight: 1, ArrowLeft: -1 });
  if (key in steps) return (at + steps[key] + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
