// How good answers are: the share of right ones, or how far numbers are off.

/**
 * @typedef {object} Score what it is that is compared
 * @property {'accuracy' | 'error'} kind an accuracy is a share, from 0 to 1; an error is in %
 * @property {'%'} unit
 * @property {'higher' | 'lower'} better
 * @property {number | null} solved an accuracy above which a run counts as solved; null where runs do not get stuck
 * @property {number} shared held-out rows by training rows where each seed splits the same rows; 0 where each draws its
 *   own, or all have the same
 * @property {number | null} chance what is reached without looking at the days; null where that is not known
 */

/**
 * The share of rows in which no other class has as large a score.
 * @param {Float32Array} scores @param {Int32Array} labels
 */
export function accuracyOf(scores, labels) {
  const classes = scores.length / labels.length;
  let right = 0;
  labels.forEach((label, row) => {
    const own = scores[row * classes + label];
    let isRight = true;
    for (let one = 0; one < classes && isRight; one += 1) isRight = one === label || scores[row * classes + one] < own;
    right += Number(isRight);
  });
  return right / labels.length;
}

/** The mean of squares of differences. @param {ArrayLike<number>} said @param {ArrayLike<number>} right */
export function meanSquare(said, right) {
  let total = 0;
  for (let at = 0; at < right.length; at += 1) total += (said[at] - right[at]) ** 2;
  return total / right.length;
}

/**
 * How often the class of most training examples is right.
 * @param {Int32Array | Float32Array} training labels @param {Int32Array | Float32Array} heldOut labels
 */
export function chanceOf(training, heldOut) {
  const counts = new Map();
  for (const label of training) counts.set(label, (counts.get(label) ?? 0) + 1);
  const [likeliest] = [...counts].reduce((most, one) => (one[1] > most[1] ? one : most));
  return heldOut.filter((label) => label === likeliest).length / heldOut.length;
}

/**
 * The mean of squares in each part.
 * @param {ArrayLike<number>} said @param {ArrayLike<number>} right @param {readonly number[]} parts of each row
 */
export function squaresByPart(said, right, parts) {
  const count = Math.max(...parts) + 1;
  const sums = Array.from({ length: count }, () => ({ sum: 0, rows: 0 }));
  parts.forEach((part, row) => {
    sums[part].sum += (said[row] - right[row]) ** 2;
    sums[part].rows += 1;
  });
  return sums.map(({ sum, rows }) => sum / rows);
}

/** Lines of a script that print the share of right answers. */
export const RIGHT_PYTHON = `    right = output.argmax(dim=1) == held_out_labels
    print(f"right on held-out examples: {100 * right.float().mean().item():.2f} %")`;
