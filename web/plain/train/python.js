// The data of made tasks in Python, number by number the same as the page draws them.

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

/** @param {number[][]} rows @param {number[]} labels */
const rowsText = (rows, labels) => rows.map((tokens, at) => `    ([${tokens.join(', ')}], ${labels[at]}),\n`).join('');

/**
 * The rows of a table as tokens, each with its label.
 * @param {Record<'training' | 'held_out', { tokens: number[][], labels: number[] }>} parts
 */
export const tablePython = ({ training, held_out }) => ({
  source: `TRAINING = [
${rowsText(training.tokens, training.labels)}]
HELD_OUT = [
${rowsText(held_out.tokens, held_out.labels)}]


def example(random):
    """A row of the table."""
    return TRAINING[random.below(len(TRAINING))]
`,
  heldOut: 'HELD_OUT[at]'
});
