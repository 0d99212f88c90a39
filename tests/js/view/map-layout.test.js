import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colourAt, coloursOf, inkOn } from '../../../web/elements/heat-map/colour.js';
import { LINE, layoutOf, sizeOf, ticksWith } from '../../../web/elements/heat-map/layout.js';
import { numbersOf, rowSums, spreadText, sumText, sumsText } from '../../../web/elements/heat-map/numbers.js';
import { createRaster, fillRows } from '../../../web/elements/heat-map/raster.js';
import { contrast } from '../../page/screen.js';

/** @typedef {import('../../page/screen.js').Rgb} Rgb */

/** Every letter is 0.6 of its size wide. @param {string} text */
const widthOf = (text) => 0.6 * text.length;

/**
 * @param {number} rows @param {number} columns @param {number} room
 * @param {Partial<import('../../../web/elements/heat-map/layout.js').Request>} [more]
 */
const layout = (rows, columns, room, more) =>
  layoutOf({ rows, columns }, { room, ratio: 1, words: { rows: null, columns: null }, sums: null, widthOf, ...more });

/** @param {number[]} values @param {number} columns @param {number} low @param {number} high */
const grid = (values, columns, low, high) => ({
  data: Float32Array.from(values),
  rows: values.length / columns,
  columns,
  low,
  high
});

const texts = (/** @type {import('../../../web/elements/heat-map/layout.js').Axis} */ { ticks }) =>
  ticks.map(({ text }) => text);

test('cells are squares, small matrices stay compact, and large ones fill the room', () => {
  for (const [count, room, wanted] of [
    [2, 900, 96],
    [4, 900, 192],
    [10, 330, 330],
    [16, 330, 320],
    [128, 900, 640],
    [512, 900, 512],
    [400, 900, 640]
  ])
    assert.deepEqual(sizeOf({ rows: count, columns: count }, room, 1), { width: wanted, height: wanted }, `${count}`);
  assert.deepEqual(sizeOf({ rows: 4, columns: 16 }, 640, 1), { width: 640, height: 160 });
});

test('every cell of a map takes the same whole number of device pixels, where that leaves little of the room', () => {
  for (let count = 2; count < 300; count += 1) {
    for (const ratio of [1, 1.5, 2, 3]) {
      const { width } = sizeOf({ rows: count, columns: count }, 640, ratio);
      const pixels = (width * ratio) / count;
      assert.ok(Math.abs(pixels - Math.round(pixels)) < 1e-6 || pixels < 4, `${count} at ${ratio}: ${pixels}`);
      assert.ok(width >= Math.min(640, 48 * count) * 0.75 && width <= 640, `${count} at ${ratio}: ${width}`);
    }
  }
});

test('of a very long plane every row is seen, and no row is thicker than needed', () => {
  assert.deepEqual(sizeOf({ rows: 2, columns: 512 }, 600, 1), { width: 512, height: 48 });
  assert.deepEqual(sizeOf({ rows: 16, columns: 768 }, 800, 1), { width: 768, height: 160 });
  assert.deepEqual(sizeOf({ rows: 512, columns: 4 }, 800, 1), { width: 96, height: 512 });
});

test('all of it stays within the room: labels, cells and sums', () => {
  for (const [rows, columns] of [
    [1, 1],
    [4, 4],
    [10, 10],
    [16, 512],
    [128, 128],
    [512, 3]
  ])
    for (const room of [200, 326, 640]) {
      const made = layout(rows, columns, room, { sums: new Array(rows).fill('0.998') });
      assert.ok(made.rows.room + made.width + (made.sums?.room ?? 0) <= room + 1, `${rows} × ${columns} in ${room}`);
    }
});

test('letters of 24 tokens stay letters on a phone, smaller where a line is low', () => {
  const letters = Array.from({ length: 24 }, (_, at) => String.fromCharCode(65 + at));
  const words = { rows: letters, columns: letters };
  const sums = new Array(24).fill('1');
  for (const [room, ratio] of [
    [326, 1],
    [326, 3],
    [260, 2]
  ]) {
    const made = layout(24, 24, room, { words, sums, ratio });
    assert.deepEqual([texts(made.rows), texts(made.columns)], [letters, letters], `in ${room}`);
    assert.ok(made.size < made.height / 24, `letters of ${made.size} on lines of ${made.height / 24}`);
    assert.equal(made.columns.turned, false);
  }
  assert.equal(layout(24, 24, 900, { words, tallest: 384 }).height, 384);
});

test('a small map has a label for every row and column, a large one in round steps', () => {
  const small = layout(16, 16, 326);
  assert.deepEqual(
    texts(small.rows),
    Array.from({ length: 16 }, (_, index) => String(index))
  );
  assert.deepEqual(texts(small.columns), texts(small.rows));
  const large = layout(128, 128, 900);
  assert.deepEqual(texts(large.columns).slice(0, 4), ['0', '10', '20', '30']);
  assert.deepEqual(texts(large.rows), texts(large.columns));
  assert.deepEqual(texts(layout(512, 512, 900).rows).slice(-2), ['450', '500']);
  assert.deepEqual(texts(layout(1, 8, 900).rows), []);
});

test('no two labels of columns cover each other, and none leaves the map', () => {
  for (let columns = 2; columns < 1100; columns += 7) {
    const made = layout(8, columns, 400);
    const each = made.width / columns;
    const ends = made.columns.ticks.map(({ index, text }) => {
      const [middle, half] = [(index + 0.5) * each, (11 * widthOf(text)) / 2];
      return [middle - half, middle + half];
    });
    ends.slice(1).forEach(([left], at) => assert.ok(left > ends[at][1], `${columns} columns, label ${at + 1}`));
    assert.ok(ends.length > 1 && (ends.at(-1)?.[1] ?? 0) < made.width + 4, `${columns} columns`);
  }
});

test('words label rows and columns: across, upwards where they are wider than a cell, and not where they have no room', () => {
  const words = ['the', 'uncharacteristically', 'cat', 'sat'];
  const across = layout(4, 4, 600, { words: { rows: words, columns: ['a', 'b', 'c', 'd'] } });
  assert.deepEqual(texts(across.rows), ['the', 'uncharacter…', 'cat', 'sat']);
  assert.deepEqual([texts(across.columns), across.columns.turned], [['a', 'b', 'c', 'd'], false]);
  const upwards = layout(4, 4, 600, { words: { rows: null, columns: words } });
  assert.equal(upwards.columns.turned, true);
  assert.ok(upwards.columns.room > 11 * widthOf('uncharacter…'));
  const many = Array.from({ length: 64 }, (_, index) => `word${index}`);
  const none = layout(64, 64, 326, { words: { rows: many, columns: many } });
  assert.deepEqual([texts(none.rows)[1], texts(none.columns)[1], none.columns.turned], ['10', '10', false]);
});

test('the cell that is pointed at has a label, and no other stands in its way', () => {
  const { columns, width } = layout(128, 128, 900);
  const shown = ticksWith(columns, width / 128, 41, 24).map(({ text }) => text);
  assert.ok(shown.includes('41') && shown.includes('30') && shown.includes('50') && !shown.includes('40'));
  assert.equal(ticksWith(columns, width / 128, -1, 24), columns.ticks);
});

test('sums stand beside rows that have a line for them', () => {
  const sums = (/** @type {number} */ rows) => layout(rows, rows, 400, { sums: new Array(rows).fill('1') });
  const small = sums(10);
  assert.ok(small.sums && small.height / 10 >= LINE);
  assert.equal(sums(64).sums, null);
});

test('a row sum is what the row sums to, without what float32 rounds', () => {
  const rows = grid([0.1, 0.2, 0.7, 0, 0, 0, 0.5, 0.25, 0], 3, 0, 1);
  assert.deepEqual(rowSums(rows).map(sumText), ['1', '0', '0.75']);
  assert.equal(sumsText(rowSums(rows)), 'Rows sum to between 0 and 1; 2 of 3 not to 1.');
  assert.equal(sumsText([1, 0.99999994]), 'Every row sums to 1.');
  assert.equal(sumsText([0, 0]), 'Every row sums to 0.');
});

test('mean and deviation are those of the finite numbers', () => {
  assert.equal(spreadText(grid([1, 3, NaN, -Infinity], 2, 0, 3)), 'mean 2, standard deviation 1');
  assert.equal(spreadText(grid([1, -0.999999], 2, -1, 1)), 'mean 0, standard deviation 1');
  assert.equal(spreadText(grid([NaN, NaN], 2, 0, 1)), '');
});

const WEIGHTS = grid([0.5, 0.123456, 0, 1], 2, 0, 1);
const SIGNED = grid([-1.5, 0.25, 2, -0.004], 2, -2, 2);
const room = (/** @type {number} */ size) => ({ width: size, height: size });

test('numbers are as exact as their cells have room for, all with equally many decimals, whole ones without', () => {
  assert.deepEqual(numbersOf(WEIGHTS, room(48), widthOf)?.texts, ['0.500', '0.123', '0', '1']);
  assert.deepEqual(numbersOf(WEIGHTS, room(32), widthOf)?.texts, ['0.50', '0.12', '0', '1']);
  assert.deepEqual(numbersOf(WEIGHTS, room(25), widthOf)?.texts, ['.50', '.12', '0', '1']);
  assert.equal(numbersOf(WEIGHTS, room(20), widthOf), null);
  assert.equal(numbersOf(WEIGHTS, { width: 48, height: 12 }, widthOf), null);
  assert.deepEqual(numbersOf(SIGNED, room(48), widthOf)?.texts, ['−1.50', '0.25', '2', '−0.00']);
  assert.deepEqual(numbersOf(grid([1, 0, -Infinity, NaN], 2, 0, 1), room(48), widthOf)?.texts, ['1', '0', '−∞', 'NaN']);
  assert.deepEqual(numbersOf(grid([1234.5, 7.25], 2, 0, 1234.5), room(48), widthOf)?.texts, ['1235', '7']);
  assert.equal(numbersOf(grid([1e-9, 0.5e-9], 2, 0, 1e-9), room(48), widthOf), null);
  assert.equal(numbersOf(grid(new Array(21 * 21).fill(0.5), 21, 0, 1), room(48), widthOf), null);
});

const GREYS = /** @type {Record<string, Rgb>} */ ({ light: [213, 216, 219], dark: [52, 58, 64] });

test('a number is readable on every colour of every scale, and on masked cells', () => {
  const black = /** @type {Rgb} */ ([0, 0, 0]);
  const white = /** @type {Rgb} */ ([255, 255, 255]);
  for (const masked of Object.values(GREYS))
    for (const low of [0, -1]) {
      const { ramp } = coloursOf({ low }, masked);
      const colours = Array.from(
        { length: 256 },
        (_, at) => /** @type {Rgb} */ (Array.from(ramp.subarray(at * 4, at * 4 + 3)))
      );
      for (const colour of [...colours, masked])
        assert.ok(contrast(colour, inkOn(colour) === '#000' ? black : white) >= 4.5, `${colour}`);
    }
});

/** Lightness and the two colour axes of OKLab (Ottosson 2020). @param {ArrayLike<number>} colour */
function oklab(colour) {
  const [red, green, blue] = [0, 1, 2].map((channel) => {
    const part = colour[channel] / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const [long, middle, short] = [
    0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue,
    0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue,
    0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue
  ].map(Math.cbrt);
  return [
    0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short,
    1.9779984951 * long - 2.428592205 * middle + 0.4505937099 * short,
    0.0259040371 * long + 0.7827717662 * middle - 0.808675766 * short
  ];
}

for (const [ground, masked] of Object.entries(GREYS)) {
  test(`a signed scale has no colour at 0, the same steps all along, and the same lightness on both sides, ${ground}`, () => {
    const { ramp } = coloursOf({ low: -1 }, masked);
    const at = (/** @type {number} */ share) => oklab(ramp.subarray(colourAt(share), colourAt(share) + 3));
    const [, a, b] = at(0.5);
    assert.ok(Math.hypot(a, b) < 0.01, 'no colour at 0');
    const steps = Array.from({ length: 32 }, (_, step) => {
      const [from, to] = [at(step / 32), at((step + 1) / 32)];
      return Math.hypot(...from.map((part, axis) => part - to[axis]));
    });
    const mean = steps.reduce((sum, step) => sum + step, 0) / steps.length;
    for (const step of steps) assert.ok(Math.abs(step / mean - 1) < 0.2, `steps from ${steps}`);
    for (const distance of [0.1, 0.25, 0.5]) {
      const [below, above] = [at(0.5 - distance), at(0.5 + distance)];
      assert.ok(Math.abs(below[0] - above[0]) < 0.01, 'as light below 0 as above');
      assert.ok(below[2] < 0 && above[2] > 0, 'blue below 0, orange above');
    }
  });
}

test('where cells are smaller than pixels, the one farthest from 0 is seen, and minus infinity is as masked', () => {
  const masked = GREYS.light;
  const colours = coloursOf({ low: -2 }, masked);
  const pixel = (/** @type {number[]} */ values, /** @type {Uint8Array | null} */ mask = null) => {
    const plane = grid(values, values.length, -2, 2);
    const raster = createRaster(plane, 1, 1);
    fillRows(raster, plane, mask, colours, 0, 0);
    return Array.from(raster.pixels.subarray(0, 3));
  };
  const colour = (/** @type {number} */ value) =>
    Array.from(colours.ramp.subarray(colourAt((value + 2) / 4)).slice(0, 3));
  assert.deepEqual(pixel([0.5, -2, 1]), colour(-2));
  assert.deepEqual(pixel([0.5, -2, 1], Uint8Array.of(1, 0, 1)), colour(1));
  assert.deepEqual(pixel([-Infinity, 0.5, NaN]), colour(0.5));
  assert.deepEqual(pixel([-Infinity, -Infinity]), masked);
});
