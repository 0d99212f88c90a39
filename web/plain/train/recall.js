// A random string, repeated: after a letter comes what came after it the last time.

import { UNKNOWN, batchOf } from './batch.js';
import { recallPython } from './python.js';
import { known, readSigns } from './reading.js';

const LETTERS = 26;
const LONGEST = 20;
const ALPHABET = Array.from({ length: LETTERS }, (_, at) => String.fromCharCode(65 + at)).join('');

/** @type {import('./tasks.js').Task} */
export const recall = {
  name: 'recall',
  title: 'Copy and recall',
  layer: 'decoder',
  about:
    'A string of random letters repeats itself. To say the next letter, a head of layer 1 (layers and heads are counted from 0) must find the same letter further back and look at what followed it: such an induction head appears suddenly, as a diagonal line. It needs a head of layer 0 that looks one letter back; a decoder of one layer has none to build on, and fails.',
  known: 'It can know what comes next once a letter has come before.',
  defaults: { seq_len: 24, hidden_size: 32, num_heads: 2, num_layers: 2, batch_size: 16, lr: 0.003 },
  contrast: { field: 'num_layers', value: 1, text: 'See it fail with one layer', back: 'Back to two layers' },
  shortest: 4,
  data: ({ seq_len: length }) => ({
    config: { vocab_size: LETTERS },
    chance: 1 / LETTERS,
    held: 64,
    draw: (random, count) =>
      batchOf(count, () => {
        const longest = Math.min(LONGEST, Math.floor(length / 2));
        const shortest = Math.max(1, Math.floor(longest / 2));
        const period = shortest + random.below(longest - shortest + 1);
        const letters = random.distinct(LETTERS, period);
        const at = (/** @type {number} */ place) => letters[place % period];
        return {
          tokens: Array.from({ length }, (_, place) => at(place)),
          labels: Array.from({ length }, (_, place) =>
            place < period || place === length - 1 ? UNKNOWN : at(place + 1)
          )
        };
      }),
    python: () => recallPython({ length, letters: LETTERS, longest: LONGEST }),
    words: (tokens) => tokens.map((token) => ALPHABET[token]),
    asks: {
      label: 'Letters that it continues',
      sample: 'QWERTYQWE'.slice(0, length - 1),
      read: (text) => {
        const tokens = readSigns(text, { alphabet: ALPHABET, named: 'the letters A to Z', most: length - 1 });
        return known(
          tokens,
          tokens.map((token) => ALPHABET[token])
        );
      }
    }
  })
};
