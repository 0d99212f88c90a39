// What is really on the screen, as numbers.

/**
 * @typedef {[number, number, number]} Rgb
 * @typedef {import('playwright-core').Locator | import('playwright-core').ElementHandle} Shown
 */

/**
 * A page without content that decodes pictures, for each context.
 * @type {WeakMap<import('playwright-core').BrowserContext, Promise<import('playwright-core').Page>>}
 */
const decoders = new WeakMap();

/**
 * The pixels of an element, in the middle of the screen, and of so many around it.
 * @param {Shown} element
 * @param {number} [margin]
 */
export async function pixelsOf(element, margin = 0) {
  const handle = 'elementHandle' in element ? await element.elementHandle() : element;
  await handle?.evaluate((shown) =>
    /** @type {Element} */ (shown).scrollIntoView({ block: 'center', inline: 'center' })
  );
  const box = await handle?.boundingBox();
  const page = (await handle?.ownerFrame())?.page();
  if (!box || !page) throw new Error('the element is not on the screen');
  const clip = { x: box.x - margin, y: box.y - margin, width: box.width + 2 * margin, height: box.height + 2 * margin };
  const png = await page.screenshot({ clip });
  const context = page.context();
  const { width, height, base64 } = await (await decoderOf(context)).evaluate(decode, png.toString('base64'));
  const bytes = Buffer.from(base64, 'base64');
  const at = (/** @type {number} */ x, /** @type {number} */ y) =>
    /** @type {Rgb} */ ([0, 1, 2].map((part) => bytes[(y * width + x) * 4 + part]));
  const row = (/** @type {number} */ y) => Array.from({ length: width }, (_, x) => at(x, y));
  const column = (/** @type {number} */ x) => Array.from({ length: height }, (_, y) => at(x, y));
  return {
    width,
    height,
    at,
    row,
    column,
    all: Array.from({ length: width * height }, (_, index) => at(index % width, Math.floor(index / width)))
  };
}

/**
 * The one of before, unless a test that ended has closed it.
 * @param {import('playwright-core').BrowserContext} context
 */
async function decoderOf(context) {
  const before = await decoders.get(context);
  const decoder = before && !before.isClosed() ? before : context.newPage();
  decoders.set(context, Promise.resolve(decoder));
  return decoder;
}

/** The pixels as base64, which crosses sooner than a list of numbers. @param {string} base64 of a PNG file */
async function decode(base64) {
  const file = new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type: 'image/png' });
  const { width, height, ...bitmap } = await createImageBitmap(file).then((image) => ({
    image,
    width: image.width,
    height: image.height
  }));
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (
    new OffscreenCanvas(width, height).getContext('2d')
  );
  context.drawImage(bitmap.image, 0, 0);
  const pixels = new Blob([context.getImageData(0, 0, width, height).data]);
  const reader = new FileReader();
  const read = new Promise((resolve) => reader.addEventListener('load', resolve));
  reader.readAsDataURL(pixels);
  await read;
  return { width, height, base64: String(reader.result).split(',')[1] ?? '' };
}

/**
 * How many pixels of two pictures of one size differ so that it is seen.
 * @param {{ all: Rgb[] }} one
 * @param {{ all: Rgb[] }} other
 */
export const differing = ({ all: one }, { all: other }) =>
  one.filter((pixel, index) => contrast(pixel, other[index]) >= 3).length;

/** The contrast of two colours, from 1 to 21, as WCAG defines it. @param {Rgb} one @param {Rgb} other */
export function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** @param {Rgb} colour */
function luminance(colour) {
  const [red, green, blue] = colour.map((part) =>
    part <= 10 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
