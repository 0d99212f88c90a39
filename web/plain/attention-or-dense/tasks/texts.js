// Real texts: names of emoji by group, and first names by list.

import { textSource } from '../text-source.js';

/** @typedef {{ groups: { name: string, texts: string[] }[] }} Groups */

/** @param {string} text */
const letters = (text) => [...text.trim().toLowerCase()];

/** @param {string} text */
const wordsBySpaces = (text) => text.toLowerCase().split(/\s+/u).filter(Boolean);

/**
 * @param {Omit<import('../tasks.js').Said, 'settings'> & { from: string }} said
 * @param {() => Promise<{ default: Groups }>} load
 * @param {Pick<import('../text-source.js').Texts, 'unit' | 'split' | 'asks'>} how
 * @returns {import('../tasks.js').HeldTask}
 */
function textTask(said, load, how) {
  /** @type {Groups | null} */
  let data = null;
  /** @type {import('../source.js').Source | null} */
  let source = null;
  return {
    ...said,
    settings: [],
    load: async () => {
      data ??= (await load()).default;
    },
    source() {
      if (!data) throw new RangeError('The texts are still being loaded.');
      const { groups } = data;
      source ??= textSource({
        ...how,
        rows: groups.flatMap(({ texts }, label) => texts.map((text) => ({ text, label }))),
        classes: groups.map(({ name }) => name)
      });
      return source;
    }
  };
}

export const emojiNames = textTask(
  {
    name: 'emoji',
    title: 'Real text: names of emoji',
    before:
      'To which of nine groups does an emoji belong, by its name: “grinning face”, “flag: Chad”? Most names have a word that says it by itself, so an average of the words should be enough, and nothing should differ beyond the noise: real text on which attention buys nothing.',
    from: 'Names of emoji by group: unicode-emoji-json, © 2019 Mu-An Chiou, MIT, after Unicode’s emoji-test.txt.',
    defaults: { samples: 1531, steps: 600, lr: 0.01 },
    variants: ['mean', 'linear', 'additive', 'dense', 'flat', 'transformer']
  },
  () => import('../data/emoji.js'),
  { unit: 'words', split: wordsBySpaces, asks: 'A name of your own' }
);

export const firstNames = textTask(
  {
    name: 'first_names',
    title: 'Real text: first names',
    before:
      'From which of two lists is a first name, letter by letter? The ending decides. A scorer that does not know positions sees a bag of letters and should gain nothing over their average; with positions it can find the last letter. Which two letters stand together, only a layer that mixes neighbours can say: a transformer layer, or an LSTM. A list is no fact about a person.',
    from: 'English first names, a list of women’s and a list of men’s, without those that are in both: Moby Project of Grady Ward, public domain, by way of @stdlib.',
    defaults: { samples: 6402, steps: 600, lr: 0.01 },
    variants: ['mean', 'linear', 'linear_position', 'flat', 'transformer_position', 'lstm']
  },
  () => import('../data/first-names.js'),
  { unit: 'letters', split: letters, asks: 'A name of your own' }
);
