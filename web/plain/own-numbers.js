// Numbers that somebody gives by hand for one input: cells as they were typed, read and written, and what is wrong with
// them. No DOM.

import { formatThings } from './format.js';

/**
 * Texts as they were typed, row by row: also those that are no numbers, so that nothing is lost.
 * @typedef {readonly (readonly string[])[]} Cells
 * @typedef {{ row: number, column: number, message: string }} Problem
 */

export const MOST_ROWS = 16;
export const MOST_COLUMNS = 64;

/** Rows and columns of each plane of an input. @param {readonly number[]} shape @returns {[number, number]} */
export const planeOf = (shape) => [shape.at(-2) ?? 1, shape.at(-1) ?? 1];

/** Whether an input is small enough to be given by hand. @param {readonly number[]} shape */
export function isSmall(shape) {
  const [rows, columns] = planeOf(shape);
  return rows <= MOST_ROWS && columns <= MOST_COLUMNS;
}

/**
 * Cells of a text that was typed or pasted: a row a line, with tabs between its numbers, or else commas, semicolons or
 * spaces. @param {string} text @returns {string[][]}
 */
export function cellsOfText(text) {
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim());
  return lines.map((line) => {
    if (line.includes('\t')) return line.split('\t').map((cell) => cell.trim());
    return line.trim().split(/\s*[,;]\s*|\s+/);
  });
}

/** @param {Cells} cells */
export const textOfCells = (cells) => cells.map((row) => row.join(', ')).join('\n');

/** Of a link: `1,2;3,4`, other letters than those of numbers escaped. @param {Cells} cells */
export const writeCells = (cells) => cells.map((row) => row.map(encodeURIComponent).join(',')).join(';');

/** @param {string} text @returns {string[][]} */
export const readCells = (text) => (text ? text.split(/[;\n]/).map((row) => row.split(',').map(decoded)) : []);

/** @param {string} cell */
function decoded(cell) {
  try {
    return decodeURIComponent(cell).trim();
  } catch {
    return cell;
  }
}

/**
 * What is wrong, cell by cell. Where rows or columns are too few or too many, that is all.
 * @param {string} name @param {Cells} cells @param {readonly number[]} shape
 * @returns {Problem[]}
 */
export function problemsOf(name, cells, shape) {
  const [rows, columns] = planeOf(shape);
  const widths = [...new Set(cells.map((row) => row.length))];
  if (cells.length !== rows || widths.length > 1 || widths[0] !== columns) {
    const counted = `${formatThings(cells.length, 'row')} of ${widths.sort((a, b) => a - b).join(' and ')}`;
    const got = cells.length ? `got ${counted}` : 'and is empty';
    return [{ row: -1, column: -1, message: `${name} must have ${rows} rows of ${columns} numbers, ${got}` }];
  }
  return cells.flatMap((row, at) =>
    row.flatMap((cell, column) => {
      if (isNumber(cell)) return [];
      const got = cell.trim() ? `got ${JSON.stringify(cell)}${pointText(cell)}` : 'and is empty';
      return [{ row: at, column, message: `${name}, position ${at}, feature ${column} must be a number, ${got}` }];
    })
  );
}

/** How a number with a decimal comma is written here. @param {string} cell */
const pointText = (cell) => (/^\s*[+-]?\d*,\d+\s*$/.test(cell) ? `: write ${cell.trim().replace(',', '.')}` : '');

/** A finite one, as float32 has it. @param {string} cell */
const isNumber = (cell) => cell.trim() !== '' && Number.isFinite(Math.fround(Number(cell)));

/**
 * @param {string} name @param {Cells} cells @param {readonly number[]} shape @returns {number[][]}
 * @throws {RangeError} with the first thing that is wrong
 */
export function numbersOf(name, cells, shape) {
  const [problem] = problemsOf(name, cells, shape);
  if (problem) throw Object.assign(new RangeError(problem.message), { field: name });
  return cells.map((row) => row.map(Number));
}

/**
 * As many rows and columns as the input has: more are cut off, missing ones are 0.
 * @param {Cells} cells @param {readonly number[]} shape
 */
export function fitted(cells, shape) {
  const [rows, columns] = planeOf(shape);
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (_, column) => cells[row]?.[column] ?? '0')
  );
}

/**
 * A block put into cells from one of them on.
 * @param {Cells} cells @param {Cells} block @param {{ row: number, column: number }} at
 * @returns {string[][]}
 * @throws {RangeError} where it does not fit
 */
export function pasted(cells, block, { row, column }) {
  const [rows, columns] = [cells.length - row, (cells[0]?.length ?? 0) - column];
  const wide = Math.max(...block.map((line) => line.length));
  if (block.length > rows || wide > columns)
    throw new RangeError(
      `a block of ${block.length} × ${wide} does not fit from position ${row}, feature ${column} on, where there is room for ${rows} × ${columns}; nothing was pasted`
    );
  const made = cells.map((line) => [...line]);
  block.forEach((line, down) => line.forEach((cell, right) => (made[row + down][column + right] = cell)));
  return made;
}

/** The same numbers in every plane. @param {number[][]} numbers @param {readonly number[]} shape */
export function repeatedNumbers(numbers, shape) {
  const plane = numbers.flat();
  const count = shape.reduce((product, length) => product * length, 1);
  return Float32Array.from({ length: count }, (_, index) => plane[index % plane.length]);
}
