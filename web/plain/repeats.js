// A step in a repeated block, as the layers of an encoder, has the figures of one repetition; totals count every one.

/** How often a step runs. @param {any} step @returns {number} */
export const repeatOf = ({ repeat = 1 }) => repeat;

/**
 * In how many places the step's parameters stand, each with values of its own: in one, where positions follow each
 * other.
 * @param {any} step @returns {number}
 */
export const placesOf = ({ repeat = 1, places = repeat }) => places;

/** ` × 12` behind the name of a step that is repeated. @param {any} step */
export const repeatText = (step) => (repeatOf(step) > 1 ? ` × ${repeatOf(step)}` : '');
