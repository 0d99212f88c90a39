// A page in the reader's own colours, which the browser forces upon it.

import { openPage, seeEverything } from './open-page.js';
import { contrast } from './screen.js';

/** @typedef {import('playwright-core').Page} Page @typedef {import('./screen.js').Rgb} Rgb */

const HEADS = '?layer=multihead_attention&batch_size=2&seq_len=10&hidden_size=128&num_heads=8&dtype=float16';
export const VISIBLE = 3; // what WCAG asks of a control's parts

/**
 * @param {'light' | 'dark'} colorScheme @param {string} [theme] chosen on the page
 * @param {string} [file]
 */
export async function openForced(colorScheme, theme, file = '') {
  const site = await openPage({
    file,
    search: HEADS,
    context: { colorScheme, forcedColors: 'active', reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } }
  });
  const { page } = site;
  if (theme) await page.locator(`.theme input[value=${theme}]`).check();
  await seeEverything(page);
  await page.locator('.options summary').click();
  return { site, page, ground: await ground(page) };
}

/** The colour of the page's ground. @param {Page} page @returns {Promise<Rgb>} */
export const ground = (page) =>
  page.evaluate(() => {
    const parts = getComputedStyle(document.documentElement).backgroundColor.match(/\d+/g) ?? [];
    return /** @type {Rgb} */ (parts.slice(0, 3).map(Number));
  });

/** The share of some pixels that can be told from the ground. @param {Rgb[]} pixels @param {Rgb} from */
export const visible = (pixels, from) =>
  pixels.filter((pixel) => contrast(pixel, from) >= VISIBLE).length / pixels.length;
