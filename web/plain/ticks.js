// Where a log axis has its ticks: on round values, as many as have room, each with a label of its own.

/**
 * @typedef {[number, number]} Domain the least and the largest value of an axis, both above 0
 * @typedef {2 | 10} Base what counts as round: powers of two, or of ten and twice and five times those
 */

/** By how much a logarithm of a power may be wrong. */
const ROUNDING = 1e-9;

const ROUND = { 2: [1], 10: [1, 2, 5] };

/**
 * Powers of the base, all or every second, third, …; between values so close that fewer than two lie there, other round
 * values.
 * @param {Domain} domain
 * @param {number} most
 * @param {Base} base
 * @param {(value: number) => string} [label] no two ticks say the same
 */
export function logTicks([low, high], most, base, label = String) {
  const within = (/** @type {number[]} */ values) => values.filter((value) => value >= low && value <= high);
  const powers = within(powersOf(low, high, base, most));
  const round = within(
    ROUND[base].flatMap((factor) =>
      powersOf(low / factor, high / factor, base, Infinity).map((power) => factor * power)
    )
  );
  const even = within(evenSteps(low, high, most, base));
  const ticks = [powers, round.sort((a, b) => a - b)].find(({ length }) => length > 1 && length <= most) ?? even;
  return ticks.filter((value, index) => index === 0 || label(value) !== label(ticks[index - 1]));
}

/** @param {number} low @param {number} high @param {Base} base @param {number} most */
function powersOf(low, high, base, most) {
  const log = base === 2 ? Math.log2 : Math.log10;
  const [first, last] = [Math.ceil(log(low) - ROUNDING), Math.floor(log(high) + ROUNDING)];
  const stride = Math.max(1, Math.ceil((last - first + 1) / most));
  return Array.from(
    { length: Math.max(0, Math.floor((last - first) / stride) + 1) },
    (_, index) => base ** (first + index * stride)
  );
}

/** Multiples of a round number. @param {number} low @param {number} high @param {number} most @param {Base} base */
function evenSteps(low, high, most, base) {
  const least = (high - low) / most;
  const power = base ** Math.floor(base === 2 ? Math.log2(least) : Math.log10(least));
  const step = Number([...ROUND[base].map((factor) => factor * power), base * power].find((round) => round >= least));
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) => (first + index) * step);
}
