// Two tables to try at once, made by a seeded generator: they show what a file looks like.

import { Random } from '../random.js';

const SEED = 7;

const THINGS = ['soup', 'bread', 'coffee', 'service', 'room', 'view', 'music', 'garden', 'breakfast', 'staff'];
const GOOD = ['good', 'fine', 'lovely', 'fresh', 'friendly', 'great'];
const BAD = ['bad', 'poor', 'awful', 'stale', 'rude', 'dreadful'];
const HOW = ['', ' very', ' really', ' so'];
const REVIEWS = 600;

/** A word of praise or blame, which a `not` before it turns round. */
function reviews() {
  const random = new Random(SEED);
  const one = (/** @type {string[]} */ of) => of[random.below(of.length)];
  const lines = Array.from({ length: REVIEWS }, () => {
    const [praises, turned] = [random.below(2) === 1, random.below(2) === 1];
    const text = `The ${one(THINGS)} was${turned ? ' not' : ''}${one(HOW)} ${one(praises ? GOOD : BAD)}, and we came for the ${one(THINGS)}.`;
    return `"${text}",${praises === turned ? 'negative' : 'positive'}`;
  });
  return ['text,label', ...lines, ''].join('\n');
}

const BOXES = 800;

/** Whether a box swims is said by no number alone, but by its weight beside its size. */
function boxes() {
  const random = new Random(SEED);
  const length = () => 5 + random.below(26);
  const lines = Array.from({ length: BOXES }, () => {
    const [height, width, depth] = [length(), length(), length()];
    const volume = height * width * depth;
    const weight = Math.round(volume * (0.2 + random.below(1800) / 1000));
    return `${height},${width},${depth},${weight},${weight < volume ? 'floats' : 'sinks'}`;
  });
  return ['height_cm,width_cm,depth_cm,weight_g,label', ...lines, ''].join('\n');
}

/** @type {readonly { name: string, title: string, text: () => string }[]} */
export const exampleTables = [
  { name: 'example-reviews.csv', title: 'Reviews', text: reviews },
  { name: 'example-boxes.csv', title: 'Boxes', text: boxes }
];
