// Where a map's cells, the labels of its rows and columns and the sums of its rows stand. All lengths in CSS pixels.

/**
 * @typedef {{ index: number, text: string }} Tick
 * @typedef {{ ticks: Tick[], room: number, turned: boolean }} Axis `room`: what its labels take; `turned`: they run
 *   upwards
 * @typedef {{ texts: readonly string[], room: number }} Sums
 * @typedef {{ width: number, height: number, rows: Axis, columns: Axis, sums: Sums | null, size: number }} Layout
 *   `width` and `height`: of all cells together; `size`: of the labels' letters
 * @typedef {{ rows: readonly string[] | null, columns: readonly string[] | null }} Words labels in place of indices
 * @typedef {{ room: number, ratio: number, words: Words, sums: readonly string[] | null,
 *   tallest?: number, widthOf: (text: string) => number }} Request `room`: the width for all of it; `ratio`: device
 *   pixels in one of CSS;
 *   `widthOf`: a text's width in its own size
 */

/** A cell is never larger, so that small matrices stay compact. */
const LARGEST = 48;
/** A map is never taller, so that it fits a screen. */
export const TALLEST = 640;
/** Very long planes are stretched across: to so much, and no row or column to more than THICK. */
const [BROADEST, THICK] = [160, 24];
/** Cells of whole device pixels are as large as each other: they are, where that leaves but a quarter of the room. */
const EVEN = 0.75;

export const LABEL_SIZE = 11;
/** Words have smaller letters before they give way to indices. */
const SMALLEST = 8.5;
/** What a line of labels takes. */
export const LINE = 13;
/** Between labels and cells. */
export const GAP = 6;
/** From one label to the next, and from one letter to the next. */
const [BETWEEN, BETWEEN_LETTERS] = [5, 1];
/** How far a label may stand out of the map. */
const OVERHANG = 3;
/** From label to label where not every cell has one. */
const APART = 30;
const LONGEST_WORD = 12;

/** Above the sums. */
export const SUM = 'sum';

/**
 * Words and sums stand beside the rows where each row has a line for them; words alone, in smaller letters, where it
 * has a little less.
 * @param {{ rows: number, columns: number }} plane
 * @param {Request} request
 * @returns {Layout}
 */
export function layoutOf(plane, request) {
  const whole = laidOut(plane, request);
  if (whole.height / plane.rows >= LINE) return whole;
  const bare = laidOut(plane, { ...request, sums: null });
  if (bare.height / plane.rows >= SMALLEST + 1) return bare;
  return laidOut(plane, { ...request, sums: null, words: { ...request.words, rows: null } });
}

/** @param {{ rows: number, columns: number }} plane @param {Request} request @returns {Layout} */
function laidOut({ rows, columns }, { room, ratio, words, sums, tallest = TALLEST, widthOf }) {
  const widest = (/** @type {readonly string[]} */ texts, size = LABEL_SIZE) =>
    size * Math.max(0, ...texts.map(widthOf));
  const named = words.rows?.map(shortened);
  const before = rows > 1 ? widest(named ?? [String(rows - 1)]) + GAP : 0;
  const after = sums ? widest([SUM, ...sums]) + GAP : 0;
  const { width, height } = sizeOf({ rows, columns }, Math.max(1, room - before - after), ratio, tallest);
  const size = named ? Math.min(LABEL_SIZE, Math.max(SMALLEST, height / rows - 1)) : LABEL_SIZE;
  const ticks = named ? named.map((text, index) => ({ index, text })) : indices(rows, height / rows, LINE);
  return {
    width,
    height,
    size,
    rows: { ticks: rows > 1 ? ticks : [], room: before, turned: false },
    columns: columnAxis(columns, width / columns, words.columns?.map(shortened), (texts) => widest(texts, size)),
    sums: sums && { texts: sums, room: after }
  };
}

/**
 * Words stand across where the widest has room, else upwards; indices where they have no room for that either.
 * @param {number} count @param {number} cell @param {string[] | undefined} words
 * @param {(texts: readonly string[]) => number} widest
 * @returns {Axis}
 */
function columnAxis(count, cell, words, widest) {
  const width = words ? widest(words) : 0;
  const isLetters = words?.every((word) => word.length === 1);
  const turned = width + (isLetters ? BETWEEN_LETTERS : BETWEEN) > cell;
  const line = LINE + GAP / 2;
  if (!words || (turned && cell < LINE)) {
    const label = widest([String(count - 1)]);
    const ticks = indices(count, cell, label + BETWEEN).filter(
      ({ index }) => (count - index - 0.5) * cell >= label / 2 - OVERHANG // within the map, but for a little
    );
    return { ticks, room: line, turned: false };
  }
  return { ticks: words.map((text, index) => ({ index, text })), room: turned ? width + GAP : line, turned };
}

/**
 * The size of all cells together. Cells are squares, but in planes so long that nothing would be seen of them.
 * @param {{ rows: number, columns: number }} plane @param {number} room @param {number} ratio @param {number} [tallest]
 */
export function sizeOf({ rows, columns }, room, ratio, tallest = TALLEST) {
  const cell = Math.min(LARGEST, room / columns, tallest / rows);
  const length = (/** @type {number} */ cells, /** @type {number} */ most) =>
    even(Math.min(most, Math.max(cells * cell, Math.min(cells * THICK, BROADEST))), cells, ratio);
  return { width: length(columns, room), height: length(rows, tallest) };
}

/**
 * A length of which each cell takes equally many device pixels.
 * @param {number} length
 * @param {number} cells
 * @param {number} ratio
 */
function even(length, cells, ratio) {
  const pixels = Math.floor((length * ratio) / cells + 1e-6);
  const whole = (pixels * cells) / ratio;
  return whole < EVEN * length ? Math.round(length) : whole;
}

/**
 * All indices, or as many as have much room, in round steps.
 * @param {number} count @param {number} cell @param {number} room that a label takes
 * @returns {Tick[]}
 */
function indices(count, cell, room) {
  const apart = cell < room ? Math.max(room, APART) : 0;
  let step = 1;
  for (let factor = 0; step * cell < apart; factor += 1) step = [1, 2, 5][factor % 3] * 10 ** Math.floor(factor / 3);
  return Array.from({ length: Math.ceil(count / step) }, (_, at) => ({ index: at * step, text: String(at * step) }));
}

/** @param {string} word */
const shortened = (word) => (word.length > LONGEST_WORD ? `${word.slice(0, LONGEST_WORD - 1)}…` : word);

/**
 * The ticks of an axis, with one for the cell that is pointed at, in whose way no other stands.
 * @param {Axis} axis @param {number} cell length of one
 * @param {number} here index of the cell, -1 for none
 * @param {number} room that a label takes
 */
export function ticksWith({ ticks }, cell, here, room) {
  if (here < 0) return ticks;
  const known = ticks.find(({ index }) => index === here) ?? { index: here, text: String(here) };
  const others = ticks.filter(({ index }) => Math.abs(index - here) * cell >= room);
  return [...others, known].sort((one, other) => one.index - other.index);
}
