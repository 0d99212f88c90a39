// How wide a text will be, before it is drawn.

/** A size at which rounding does not matter. */
const LARGE = 100;

/**
 * A function that tells the width of a text in its own size, without kerning.
 * @param {string} family
 * @returns {(text: string) => number}
 */
export function widthIn(family) {
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (new OffscreenCanvas(1, 1).getContext('2d'));
  context.font = `${LARGE}px ${family}`;
  /** @type {Map<string, number>} */
  const known = new Map();
  const letter = (/** @type {string} */ one) => {
    const width = known.get(one) ?? context.measureText(one).width / LARGE;
    known.set(one, width);
    return width;
  };
  return (text) => Array.from(text).reduce((width, one) => width + letter(one), 0);
}
