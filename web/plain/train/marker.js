// Find the marker, and say what comes after it.

import { batchOf } from './batch.js';
import { markerPython } from './python.js';
import { known, readSigns } from './reading.js';

const LETTERS = 4;
const KINDS = LETTERS + 1; // the marker is kind 0
const WORDS = '*ABCD';

/** @type {import('./tasks.js').Task} */
export const marker = {
  name: 'marker',
  title: 'What follows the marker',
  layer: 'attention_classifier',
  about:
    'The class is the letter after the marker *. No token tells it by itself, so heads must look from one to the other. This layer knows no positions: each token therefore says its place too.',
  defaults: { seq_len: 8, hidden_size: 64, num_heads: 4, dropout: 0, batch_size: 32, lr: 0.003 },
  shortest: 2,
  data: ({ seq_len: length }) => ({
    config: { vocab_size: KINDS * length, num_classes: LETTERS },
    chance: 1 / LETTERS,
    held: 128,
    draw: (random, count) =>
      batchOf(count, () => {
        const kinds = Array.from({ length }, () => 1 + random.below(LETTERS));
        const place = random.below(length - 1);
        kinds[place] = 0;
        return { tokens: kinds.map((kind, at) => at * KINDS + kind), labels: [kinds[place + 1] - 1] };
      }),
    python: () => markerPython({ length, letters: LETTERS }),
    words: (tokens) => tokens.map((token) => WORDS[token % KINDS]),
    classWord: (one) => WORDS[one + 1],
    asks: {
      label: 'Letters to classify',
      sample: 'ABC*DABCDABC'.slice(0, length),
      read: (text) => {
        const kinds = readSigns(text, { alphabet: WORDS, named: 'the marker * and the letters A to D', most: length });
        return known(
          kinds.map((kind, at) => at * KINDS + kind),
          kinds.map((kind) => WORDS[kind])
        );
      }
    }
  })
};
