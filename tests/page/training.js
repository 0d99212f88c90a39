// What is done on the training page, and what it shows then.

/** @typedef {import('playwright-core').Page} Page */

/** A run of 20 steps that takes no time. */
export const SMALL = 'hidden_size=16&seq_len=12&batch_size=8&pause_every=20';

/** @param {Page} page */
export const live = (page) =>
  page.waitForFunction(() => /** @type {any} */ (document.querySelector('attnscope-train'))?.hasUpdated);

/** @param {Page} page @param {string} name */
export const press = (page, name) => page.click(`[data-action="${name}"]`);

/** @param {Page} page */
export const paused = (page) =>
  page.waitForSelector('attnscope-train [role=status]:has-text("Paused.")', { state: 'attached' });

/** @param {Page} page */
export async function played(page) {
  await press(page, 'play');
  await paused(page);
}

/** @param {Page} page @param {number} step */
export const atStep = (page, step) => page.waitForSelector(`[data-figure="step"] .figure-value:text-is("${step}")`);
