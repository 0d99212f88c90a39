// The labels of a table: how often each occurs, and which rare ones look like a misspelling of another. Whether one is
// is for the reader to say; the answers are a setting, so that a link has them.

import { byFrequency } from '../counts.js';
import { refusal } from '../refusal.js';

/**
 * @typedef {Record<string, string>} Answers by a label what it is read as; itself where it is to be kept
 * @typedef {{ label: string, count: number, into: string, intoCount: number }} Alike a label that looks like another
 */

/** A label of so many rows, or of such a share of the other's rows, may be a misspelling. */
const RARE_ROWS = 2;
const RARE_SHARE = 0.05;
/** Of labels of at least so many letters, so many may differ. */
const EDITS = [
  { letters: 8, edits: 2 },
  { letters: 4, edits: 1 }
];

/** How many rows have each label, the most frequent first. @param {readonly string[]} labels */
export const countsOf = (labels) => byFrequency([labels]);

/**
 * The labels that are asked about: each with the most frequent one that it looks like.
 * @param {Map<string, number>} counts as countsOf() gives them
 * @param {Answers} answers those that are answered are not asked about
 * @returns {Alike[]}
 */
export function alikeIn(counts, answers) {
  const all = [...counts].map(([label, count]) => ({ label, count, folded: folded(label) }));
  return all.flatMap(({ label, count, folded: own }, at) => {
    if (Object.hasOwn(answers, label)) return [];
    const other = all.slice(0, at).find((one) => isAlike(one, { count, folded: own }));
    return other ? [{ label, count, into: other.label, intoCount: other.count }] : [];
  });
}

/** Without what is often written in two ways: capitals, accents, spaces and signs. @param {string} label */
const folded = (label) =>
  label
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** @typedef {{ count: number, folded: string }} Folded */

/** @param {Folded} frequent @param {Folded} other */
function isAlike({ count: many, folded: one }, { count, folded: other }) {
  if (one === other) return one !== '';
  if (count > Math.max(RARE_ROWS, RARE_SHARE * many) || count >= many) return false;
  if (digitsOf(one) !== digitsOf(other)) return false; // class 1 and class 2 are two classes
  const letters = Math.min([...one].length, [...other].length);
  const { edits } = EDITS.find((rule) => letters >= rule.letters) ?? { edits: 0 };
  return edits > 0 && distance([...one], [...other]) <= edits;
}

/** @param {string} label */
const digitsOf = (label) => label.replace(/\P{N}/gu, '');

/**
 * How many letters must be changed, put in, left out, or exchanged with their neighbour.
 * @param {string[]} one @param {string[]} other
 */
function distance(one, other) {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  one.forEach((letter, i) => {
    const row = [i + 1];
    other.forEach((wanted, j) => {
      const changed = rows[i][j] + Number(letter !== wanted);
      const swapped = i && j && letter === other[j - 1] && one[i - 1] === wanted ? rows[i - 1][j - 1] + 1 : Infinity;
      row.push(Math.min(changed, rows[i][j + 1] + 1, row[j] + 1, swapped));
    });
    rows.push(row);
  });
  return rows[one.length][other.length];
}

/**
 * The answers that an address has.
 * @param {unknown} text JSON, or nothing
 * @returns {Answers}
 */
export function answersIn(text) {
  if (text === undefined || text === '') return {};
  const wrong = refusal('labels', `labels must be a JSON object of labels, as {"postive":"positive"}, got ${text}`);
  /** @type {unknown} */
  let answers;
  try {
    answers = JSON.parse(String(text));
  } catch {
    throw wrong;
  }
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) throw wrong;
  if (!Object.values(answers).every((one) => typeof one === 'string')) throw wrong;
  return /** @type {Answers} */ (answers);
}

/**
 * As an address has it, '' for none.
 * @param {Answers} answers
 */
export const answersText = (answers) => (Object.keys(answers).length ? JSON.stringify(answers) : '');

/**
 * What a label is read as.
 * @param {Answers} answers
 * @param {Map<string, number>} counts of the labels as they are written
 * @returns {(label: string) => string}
 */
export function readAs(answers, counts) {
  for (const [label, into] of Object.entries(answers)) {
    if (!counts.has(into))
      throw refusal('labels', `labels reads ${show(label)} as ${show(into)}, a label that no row has`);
    if (Object.hasOwn(answers, into) && answers[into] !== into)
      throw refusal('labels', `labels reads ${show(label)} as ${show(into)}, and that as ${show(answers[into])}`);
  }
  return (label) => (Object.hasOwn(answers, label) ? answers[label] : label);
}

const show = JSON.stringify;
