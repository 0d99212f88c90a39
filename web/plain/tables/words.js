// Texts as words or characters, in small letters.

/** Runs of letters, digits and the apostrophes between them; every other character that is no space, by itself. */
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’][\p{L}\p{N}\p{M}]+)*|\S/gu;

/** @param {string} text */
const wordsOf = (text) => text.toLowerCase().match(WORD) ?? [];

/** Each space, or row of spaces, is a character too. @param {string} text */
const charactersOf = (text) => [...text.toLowerCase().trim().replace(/\s+/gu, ' ')];

export const splitters = { words: wordsOf, characters: charactersOf };
