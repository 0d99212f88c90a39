// Rows of numbers by class as examples: each column is a step with one number, standardised by the training part.

import { streamOf } from './made-source.js';
import { RIGHT_PYTHON, chanceOf } from './score.js';
import { shuffled } from './shuffled.js';

/**
 * @typedef {import('./source.js').Source} Source
 * @typedef {{ numbers: readonly number[], label: number }} Row
 */

const HELD_OUT = 0.2;

/** @param {{ rows: readonly Row[], classes: readonly string[], names: readonly string[] }} table @returns {Source} */
export function numberSource({ rows, classes, names }) {
  const held = Math.min(rows.length - 1, Math.max(1, Math.round(HELD_OUT * rows.length)));
  return {
    base: { seq_len: names.length, input_size: 1, num_classes: classes.length },
    loss: 'cross_entropy',
    step: 'column',
    most: rows.length - held,
    score: { kind: 'accuracy', unit: '%', better: 'higher', solved: null, shared: held / (rows.length - held) },
    chance: ({ training, heldOut }) => chanceOf(training.labels, heldOut.labels),
    examples(scope, seed, samples) {
      const order = shuffled(scope, rows.length, streamOf(seed, 'split'));
      const trained = order.slice(held, held + samples).map((at) => rows[at]);
      const standards = names.map((_, column) => standardOf(trained.map(({ numbers }) => numbers[column])));
      const packed = (/** @type {Row[]} */ own) => ({
        inputs: {
          features: {
            data: Float32Array.from(
              own.flatMap(({ numbers }) =>
                numbers.map((value, at) => (value - standards[at].middle) / standards[at].size)
              )
            ),
            shape: [own.length, names.length, 1]
          }
        },
        labels: Int32Array.from(own, ({ label }) => label),
        days: []
      });
      return { training: packed(trained), heldOut: packed(order.slice(0, held).map((at) => rows[at])) };
    },
    others: [],
    python: (seed, samples) => python(rows, { held, seed, samples }),
    pythonScore: RIGHT_PYTHON,
    classes,
    steps: names
  };
}

/** A column that is the same everywhere is only moved. @param {readonly number[]} values */
function standardOf(values) {
  const middle = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / values.length;
  return { middle, size: Math.sqrt(square) || 1 };
}

/** @param {readonly Row[]} rows @param {{ held: number, seed: number, samples: number }} made */
const python = (rows, { held, seed, samples }) => `# Each row of numbers with its class.
ROWS = [
${rows.map(({ numbers, label }) => `    ([${numbers.join(', ')}], ${label}),`).join('\n')}
]
NUMBERS = torch.tensor([numbers for numbers, _ in ROWS], dtype=torch.float64)
KEYS = torch.randint(2**31, (len(ROWS),), generator=torch.Generator().manual_seed(${streamOf(seed, 'split')}))
ORDER = KEYS.sort(stable=True).indices
TRAINING = ORDER[${held} : ${held + samples}]
SIZE = NUMBERS[TRAINING].std(dim=0, correction=0)
STANDARD = (NUMBERS - NUMBERS[TRAINING].mean(dim=0)) / torch.where(SIZE > 0, SIZE, 1.0)


def examples(part):
    chosen = TRAINING if part == "training" else ORDER[:${held}]
    return {"features": STANDARD[chosen].float()[:, :, None]}, torch.tensor([ROWS[at][1] for at in chosen])`;
