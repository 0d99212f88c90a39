// Texts by class as examples: split by each seed, with a vocabulary of its training part, padded, with a mask.

import { countsOf } from '../counts.js';
import { formatCount, formatThings } from '../format.js';
import { unknownText } from '../tables/words.js';
import { readText } from '../train/reading.js';
import { streamOf } from './made-source.js';
import { RIGHT_PYTHON, chanceOf } from './score.js';
import { shuffled } from './shuffled.js';

/**
 * @typedef {import('./source.js').Source} Source
 * @typedef {import('./source.js').Scope} Scope
 * @typedef {import('./tasks.js').Examples} Examples
 * @typedef {{ text: string, label: number }} Labelled
 *
 * @typedef {object} Texts
 * @property {readonly Labelled[]} rows
 * @property {readonly string[]} classes
 * @property {'words' | 'letters'} unit
 * @property {(text: string) => string[]} split a text into those, of which no word has a space
 * @property {number} [longest] of a text in units; what is behind is left out
 * @property {string} asks what a text box for one's own text is called
 */

const [PADDING, UNKNOWN] = [0, 1];
const SPECIAL = ['[pad]', '[unk]'];
/** A word that is rarer in the training part is unknown. */
const LEAST = 2;
const EMBEDDING = 16;
const HELD_OUT = 0.2;

/** @param {readonly (readonly string[])[]} texts */
const frequent = (texts) => [...countsOf(texts)].filter(([, count]) => count >= LEAST).map(([word]) => word);

/** @param {Texts} texts @returns {Source} */
export function textSource({ rows, classes, unit, split, longest = Infinity, asks }) {
  const parts = rows.map(({ text }) => split(text));
  const length = Math.min(longest, Math.max(...parts.map((part) => part.length)));
  /** One vector for each, of which a seed learns those that its training part has often enough. */
  const vocabulary = frequent(parts);
  const held = Math.min(rows.length - 1, Math.max(1, Math.round(HELD_OUT * rows.length)));
  const cut = parts.filter((part) => part.length > length).length;
  /** The last that was asked for: a page asks at every frame. */
  let counted = { seed: NaN, samples: NaN, text: '' };
  /** A seed's texts, and the words that its training part has often enough. */
  const drawn = (/** @type {Scope} */ scope, /** @type {number} */ seed, /** @type {number} */ samples) => {
    const order = shuffled(scope, rows.length, streamOf(seed, 'split'));
    const [tested, trained] = [order.slice(0, held), order.slice(held, held + samples)];
    return { tested, trained, known: new Set(frequent(trained.map((at) => parts[at]))) };
  };
  return {
    base: {
      ...{ seq_len: length, input: 'tokens', input_size: EMBEDDING, padding_idx: PADDING },
      ...{ vocab_size: SPECIAL.length + vocabulary.length, num_classes: classes.length }
    },
    loss: 'cross_entropy',
    step: unit === 'words' ? 'word' : 'letter',
    most: rows.length - held,
    score: { kind: 'accuracy', unit: '%', better: 'higher', solved: null, shared: held / (rows.length - held) },
    chance: ({ training, heldOut }) => chanceOf(training.labels, heldOut.labels),
    examples(scope, seed, samples) {
      const { tested, trained, known } = drawn(scope, seed, samples);
      const ids = new Map(vocabulary.flatMap((word, at) => (known.has(word) ? [[word, at + SPECIAL.length]] : [])));
      const packed = (/** @type {number[]} */ chosen) =>
        examplesOf(
          chosen.map((at) => ({ label: rows[at].label, tokens: parts[at].map((word) => ids.get(word) ?? UNKNOWN) })),
          length
        );
      return {
        training: packed(trained),
        heldOut: { ...packed(tested), texts: tested.map((at) => parts[at].slice(0, length)) },
        reader: {
          words: [...SPECIAL, ...vocabulary],
          read: (text) => readText(text, { split, ids, unknown: UNKNOWN, length })
        }
      };
    },
    unknown(scope, seed, samples) {
      if (counted.seed === seed && counted.samples === samples) return counted.text;
      const { tested, known } = drawn(scope, seed, samples);
      const words = tested.flatMap((at) => parts[at].slice(0, length));
      const share = words.filter((word) => !known.has(word)).length / words.length;
      counted = { seed, samples, text: unknownText(share, unit) };
      return counted.text;
    },
    others: [],
    imports: ['import collections'],
    python: (seed, samples) =>
      python({
        rows: parts.map((part, at) => ({ part, label: rows[at].label })),
        ...{ unit, length, held, seed, samples }
      }),
    pythonScore: RIGHT_PYTHON,
    padded: true,
    classes,
    asks,
    said: cut
      ? `${formatCount(cut)} of ${formatCount(rows.length)} texts ${cut === 1 ? 'has' : 'have'} more than ${formatThings(length, unit.slice(0, -1))}, and ${cut === 1 ? 'is' : 'are'} cut there.`
      : ''
  };
}

/** @param {{ tokens: readonly number[], label: number }[]} rows @param {number} length @returns {Examples} */
function examplesOf(rows, length) {
  const tokens = new Int32Array(rows.length * length).fill(PADDING);
  const mask = new Uint8Array(rows.length * length);
  rows.forEach((row, at) => {
    const own = row.tokens.slice(0, length);
    tokens.set(own, at * length);
    mask.fill(1, at * length, at * length + own.length);
  });
  const shape = [rows.length, length];
  return {
    inputs: { tokens: { data: tokens, shape }, mask: { data: mask, shape } },
    labels: Int32Array.from(rows, ({ label }) => label),
    days: []
  };
}

/**
 * @param {{ rows: readonly { part: readonly string[], label: number }[], unit: Texts['unit'], length: number,
 *   held: number, seed: number, samples: number }} made
 */
function python({ rows, unit, length, held, seed, samples }) {
  const between = unit === 'words' ? ' ' : '';
  const lines = rows.map(({ part, label }) => JSON.stringify([part.join(between), label]));
  return `# Each text with its class: its ${unit}${unit === 'words' ? ' with a space between them' : ''}.
ROWS = [
${lines.map((line) => `    ${line},`).join('\n')}
]
PARTS = [${unit === 'words' ? 'text.split(" ")' : 'list(text)'} for text, _ in ROWS]
COUNTS = collections.Counter(word for words in PARTS for word in words)
IDS = {word: ${SPECIAL.length} + at for at, word in enumerate(word for word, count in COUNTS.items() if count >= ${LEAST})}
KEYS = torch.randint(2**31, (len(ROWS),), generator=torch.Generator().manual_seed(${streamOf(seed, 'split')}))
ORDER = KEYS.sort(stable=True).indices.tolist()
TRAINING = ORDER[${held} : ${held + samples}]
SEEN = collections.Counter(word for at in TRAINING for word in PARTS[at])


def examples(part):
    chosen = TRAINING if part == "training" else ORDER[:${held}]
    tokens = torch.full((len(chosen), ${length}), ${PADDING})
    mask = torch.zeros(len(chosen), ${length}, dtype=torch.bool)
    for row, at in enumerate(chosen):
        words = PARTS[at][:${length}]
        tokens[row, : len(words)] = torch.tensor([IDS[word] if SEEN[word] >= ${LEAST} else ${UNKNOWN} for word in words])
        mask[row, : len(words)] = True
    return {"tokens": tokens, "mask": mask}, torch.tensor([ROWS[at][1] for at in chosen])`;
}
