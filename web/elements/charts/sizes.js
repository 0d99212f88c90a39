// How large the drawings are, known before the code that draws them is there.

/** Letters of 12 px: about as wide as a text is drawn. @param {string} text */
export const textWidth = (text) => text.length * FONT_SIZE * 0.55;

export const FONT_SIZE = 12;

const STACKED_BELOW = 560;

/**
 * Measures of the dot plot: on a narrow screen the name of a layer stands above its dot, `lift` above the middle of its
 * row, which is `row` high; the dot is `drop` below.
 * @param {number} width
 */
export const dotMeasures = (width) =>
  width < STACKED_BELOW
    ? { stacked: true, row: 48, lift: -11, drop: 11, marginTop: 26, marginBottom: 40 }
    : { stacked: false, row: 29, lift: 0, drop: 0, marginTop: 28, marginBottom: 40 };

/** @param {number} count of rows @param {number} width */
export function dotHeight(count, width) {
  const { row, marginTop, marginBottom } = dotMeasures(width);
  return marginTop + count * row + marginBottom;
}

export const CURVE_HEIGHT = 232;
