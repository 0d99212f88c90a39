// The tutorial's data and its vocabulary: random sequences with random labels, of which nothing can be learned but by
// heart.

import { batchOf } from './batch.js';
import { randomPython } from './python.js';
import { known, readNumbers } from './reading.js';

const VOCABULARY = 5000;
const CLASSES = 2;

/** @type {import('./tasks.js').Task} */
export const randomTokens = {
  name: 'random',
  title: 'Random tokens',
  layer: 'attention_classifier',
  about:
    'Some random sequences have labels that were drawn by lot: the layer can learn them by heart, which training shows, but not understand them, so that held-out accuracy stays near one half.',
  defaults: { seq_len: 16, hidden_size: 64, num_heads: 4, dropout: 0.1, batch_size: 32, lr: 0.001 },
  fixed: true,
  shortest: 1,
  data: ({ seq_len: length }) => ({
    config: { vocab_size: VOCABULARY, num_classes: CLASSES },
    chance: 1 / CLASSES,
    held: 128,
    draw: (random, count) =>
      batchOf(count, () => ({
        tokens: Array.from({ length }, () => random.below(VOCABULARY)),
        labels: [random.below(CLASSES)]
      })),
    python: () => randomPython({ length, vocabulary: VOCABULARY, classes: CLASSES }),
    words: (tokens) => tokens.map(String),
    classWord: String,
    asks: {
      label: 'Tokens to classify',
      sample: '3 14 159 265',
      read: (text) => {
        const tokens = readNumbers(text, VOCABULARY, length);
        return known(tokens, tokens.map(String));
      }
    }
  })
};
