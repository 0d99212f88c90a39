// Brackets of three kinds, one in another: which kind closes?

import { UNKNOWN, batchOf } from './batch.js';
import { bracketsPython } from './python.js';
import { known, readSigns } from './reading.js';

const OPEN = '([{';
const CLOSED = ')]}';
const KINDS = OPEN.length;
const DEEPEST = 4;

/** @type {import('./tasks.js').Task} */
export const brackets = {
  name: 'brackets',
  title: 'Matching brackets',
  layer: 'decoder',
  about:
    'Wherever a bracket closes, the layer says of which kind it is: it must look at the last one that is still open, past those that are closed already.',
  known: 'It has learned which kind closes, and not when: where a bracket may open, what it says is a guess.',
  defaults: { seq_len: 24, hidden_size: 32, num_heads: 2, num_layers: 2, batch_size: 16, lr: 0.003 },
  shortest: 2,
  data: ({ seq_len: length }) => ({
    config: { vocab_size: 2 * KINDS },
    chance: 1 / KINDS,
    held: 64,
    draw: (random, count) =>
      batchOf(count, () => {
        /** @type {number[]} */
        const tokens = [];
        /** @type {number[]} */
        const open = [];
        while (tokens.length < length) {
          const opens = open.length === 0 || (open.length < DEEPEST && random.below(2) === 0);
          if (opens) open.push(random.below(KINDS));
          tokens.push(opens ? /** @type {number} */ (open.at(-1)) : KINDS + Number(open.pop()));
        }
        return { tokens, labels: tokens.map((_, place) => (tokens[place + 1] >= KINDS ? tokens[place + 1] : UNKNOWN)) };
      }),
    python: () => bracketsPython({ length, kinds: KINDS, deepest: DEEPEST }),
    words: (tokens) => tokens.map((token) => (OPEN + CLOSED)[token]),
    asks: {
      label: 'Brackets that it continues',
      sample: '([{}'.slice(0, length - 1),
      read: (text) => {
        const tokens = readSigns(text, {
          alphabet: OPEN + CLOSED,
          named: `the brackets ${OPEN}${CLOSED}`,
          most: length - 1
        });
        return known(
          tokens,
          tokens.map((token) => (OPEN + CLOSED)[token])
        );
      }
    }
  })
};
