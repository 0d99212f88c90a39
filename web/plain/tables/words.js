// Texts as words or characters, in small letters and in the compatible form of Unicode: full-width letters and digits,
// ligatures and the like are as their plain twins.

import { formatPercent } from '../format.js';

/** Runs of letters, digits and the apostrophes between them; every other character that is no space, by itself. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*|\S/gu;
/** Letters of scripts that set no spaces between words. */
const SPACELESS = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
/** A character with the marks that belong to it. */
const CHARACTER = /\P{M}\p{M}*|\p{M}+/gu;

/** Finds words by the browser's dictionaries; browsers before 2024 may have none. */
const segmenter = 'Segmenter' in Intl ? new Intl.Segmenter('en', { granularity: 'word' }) : null;

/** Words of texts without spaces: finding them takes a second for a million letters. @type {Map<string, string[]>} */
const found = new Map();
const MOST_FOUND = 20_000;

/** @param {string} text */
const plain = (text) => text.normalize('NFKC').toLowerCase();

/** @param {string} text @returns {string[]} */
function wordsOf(text) {
  if (!SPACELESS.test(text)) return plain(text).match(WORD) ?? [];
  const known = found.get(text);
  if (known) return known;
  const words = (plain(text).match(WORD) ?? []).flatMap((run) => (SPACELESS.test(run) ? wordsIn(run) : run));
  if (found.size >= MOST_FOUND) found.clear();
  found.set(text, words);
  return words;
}

/** @param {string} run of letters without a space @returns {string[]} */
const wordsIn = (run) =>
  segmenter ? [...segmenter.segment(run)].map(({ segment }) => segment) : (run.match(CHARACTER) ?? []);

/** Each space, or row of spaces, is a character too. @param {string} text */
const charactersOf = (text) => [...plain(text).trim().replace(/\s+/gu, ' ')];

export const splitters = { words: wordsOf, characters: charactersOf };

/**
 * A sentence on how texts without spaces are split into words; '' where there are none.
 * @param {readonly string[]} texts
 */
export function spacelessText(texts) {
  if (!texts.some((text) => SPACELESS.test(text))) return '';
  return segmenter
    ? 'Words of Chinese, Japanese, Thai and other text without spaces are found by this browser (Intl.Segmenter), and another browser may find others.'
    : 'Chinese, Japanese, Thai and other text without spaces is split into characters, as this browser finds no words in it (Intl.Segmenter).';
}

/** Above this share of held-out tokens that are [unk], a text is hardly read. */
const MOST_UNKNOWN = 0.5;

/**
 * A sentence on tokens that the vocabulary of the training texts lacks; '' where most are known.
 * @param {number} share of the held-out tokens that are [unk] @param {string} unit as `words`
 */
export const unknownText = (share, unit) =>
  share > MOST_UNKNOWN
    ? `${formatPercent(share)} of the held-out ${unit} are [unk]: the training texts have them too seldom, and the layer reads them all alike.`
    : '';
