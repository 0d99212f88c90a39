// The data of made tasks in Python, number by number the same as the page draws them.

import { formatCount } from '../format.js';
import { UNKNOWN } from './batch.js';

/** @param {string} source with a function `example(random)` */
export const made = (source) => ({ source, heldOut: 'example(random)' });

/** @param {{ length: number, letters: number, longest: number }} sizes */
export const recallPython = ({ length, letters, longest }) =>
  made(`def example(random):
    """A string of letters that repeats itself, and the letter after each, where it can be known."""
    longest = min(${longest}, ${length} // 2)
    shortest = max(1, longest // 2)
    period = shortest + random.below(longest - shortest + 1)
    letters = random.distinct(${letters}, period)
    tokens = [letters[place % period] for place in range(${length})]
    known = range(period, ${length} - 1)
    return tokens, [letters[(place + 1) % period] if place in known else ${UNKNOWN} for place in range(${length})]
`);

/** @param {{ length: number, kinds: number, deepest: number }} sizes */
export const bracketsPython = ({ length, kinds, deepest }) =>
  made(`def example(random):
    """Brackets, one in another, and the bracket after each, where it closes one."""
    tokens, opened = [], []
    while len(tokens) < ${length}:
        opens = not opened or (len(opened) < ${deepest} and random.below(2) == 0)
        if opens:
            opened.append(random.below(${kinds}))
        tokens.append(opened[-1] if opens else ${kinds} + opened.pop())
    return tokens, [token if token >= ${kinds} else ${UNKNOWN} for token in tokens[1:]] + [${UNKNOWN}]
`);

/** @param {{ length: number, letters: number }} sizes */
export const markerPython = ({ length, letters }) =>
  made(`def example(random):
    """Letters with a marker among them, each with its place; the class is the letter after the marker."""
    kinds = [1 + random.below(${letters}) for _ in range(${length})]
    place = random.below(${length} - 1)
    kinds[place] = 0
    return [at * ${letters + 1} + kind for at, kind in enumerate(kinds)], kinds[place + 1] - 1
`);

/** @param {{ length: number, vocabulary: number, classes: number }} sizes */
export const randomPython = ({ length, vocabulary, classes }) =>
  made(`def example(random):
    """Tokens and a label, all drawn by lot."""
    return [random.below(${vocabulary}) for _ in range(${length})], random.below(${classes})
`);

/** So many tokens are printed at most, with those of all rows: a script of more is no text to read or to paste. */
export const MOST_PRINTED = 200_000;

/**
 * @typedef {{ tokens: number[], label: number }} Row without what fills it up
 * @param {readonly Row[]} rows
 */
const rowsText = (rows) => rows.map(({ tokens, label }) => `    ([${tokens.join(', ')}], ${label}),\n`).join('');

/** @param {number} length @param {number} padding */
const padded = (length, padding) => `

def padded(tokens, label):
    """A row, filled up to as many tokens as the longest may have."""
    return tokens + [${padding}] * (${length} - len(tokens)), label
`;

/**
 * The rows of a table as tokens, each with its label.
 * @param {{ training: readonly Row[], held_out: readonly Row[] }} parts
 * @param {{ length: number, padding: number | undefined }} sizes `padding`: the token that fills a row up to `length`
 */
export function tablePython({ training, held_out: heldOut }, { length, padding }) {
  const count = [...training, ...heldOut].reduce((sum, { tokens }) => sum + tokens.length, 0);
  if (count > MOST_PRINTED)
    throw new RangeError(
      `the script would hold every row of this table, which are ${formatCount(count)} tokens; a table of at most ${formatCount(MOST_PRINTED)} is printed`
    );
  const isPadded = padding !== undefined;
  const filled = (/** @type {string} */ row) => (isPadded ? `padded(*${row})` : row);
  return {
    source: `TRAINING = [
${rowsText(training)}]
HELD_OUT = [
${rowsText(heldOut)}]
${isPadded ? padded(length, padding) : ''}


def example(random):
    """A row of the table, drawn by lot."""
    return ${filled('TRAINING[random.below(len(TRAINING))]')}
`,
    heldOut: filled('HELD_OUT[at]')
  };
}
