// Which variants share a worker.

/** @typedef {import('./contest.js').Contender} Contender */

/**
 * Who is run together: as many groups as there are cores, the work shared out as evenly as it can be.
 * @param {readonly Contender[]} variants @param {number} cores
 */
export function shared(variants, cores) {
  const groups = Array.from({ length: Math.min(variants.length, cores) }, () => ({
    work: 0,
    own: /** @type {Contender[]} */ ([])
  }));
  for (const variant of variants.toSorted((one, other) => other.macs - one.macs)) {
    const least = groups.reduce((one, other) => (other.work < one.work ? other : one));
    least.work += variant.macs + A_VARIANT;
    least.own.push(variant);
  }
  return groups.map(({ own }) => own);
}

/** What a step takes besides its products, in multiply-accumulates. */
const A_VARIANT = 10_000;
