// Least squares, exactly: by Gram and Schmidt's orthogonal columns, in double precision.

/** A column of which so little is left, the ones before it say already. */
const NOTHING = 1e-9;

/** @param {Float64Array} one @param {Float64Array} other */
function dot(one, other) {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += one[at] * other[at];
  return sum;
}

/** @param {Float64Array} values are changed @param {number} part @param {Float64Array} of */
function subtract(values, part, of) {
  for (let at = 0; at < values.length; at += 1) values[at] -= part * of[at];
}

/**
 * The coefficients by which columns come nearest to a target; 0 for one that is a combination of those before it.
 * @param {readonly (readonly number[])[]} columns each of the target's length
 * @param {readonly number[]} target
 */
export function leastSquares(columns, target) {
  /** Orthogonal vectors of length 1, and of which columns they are made. */
  const basis = /** @type {{ unit: Float64Array, of: Float64Array }[]} */ ([]);
  columns.forEach((column, at) => {
    const unit = Float64Array.from(column);
    const of = Float64Array.from(columns, (_, one) => Number(one === at));
    const size = Math.sqrt(dot(unit, unit));
    for (let turn = 0; turn < 2; turn += 1) {
      // twice is enough: Kahan and Parlett
      for (const other of basis) {
        const part = dot(unit, other.unit);
        subtract(unit, part, other.unit);
        subtract(of, part, other.of);
      }
    }
    const left = Math.sqrt(dot(unit, unit));
    if (left <= NOTHING * size) return;
    basis.push({ unit: unit.map((value) => value / left), of: of.map((value) => value / left) });
  });
  const coefficients = new Float64Array(columns.length);
  const wanted = Float64Array.from(target);
  for (const { unit, of } of basis) subtract(coefficients, -dot(unit, wanted), of);
  return [...coefficients];
}
