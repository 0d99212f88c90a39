// A table file is read as its owner meant it: encoding, line ends, cells, quotation marks, decimals.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numberIn } from '../../web/plain/tables/numbers.js';
import { LARGEST_FILE, readTable } from '../../web/plain/tables/table.js';

/** @typedef {import('../../web/plain/tables/table.js').Table} Table */

/** @param {string | number[] | Uint8Array} content @param {string} [name] */
const read = (content, name = 'own.csv') =>
  readTable(name, typeof content === 'string' ? new TextEncoder().encode(content) : Uint8Array.from(content));

/** @param {Table} table */
const cellsOf = ({ rows }) => rows.map(({ cells }) => cells);

test('cells are read with quotation marks, line ends within them, and the line on which each row begins', async () => {
  const { rows, bad } = await read('text,label\r\n"one, ""two""\r\nthree",a\r\n\r\nfour,b\r\n');
  assert.deepEqual(bad, []);
  assert.deepEqual(rows, [
    { line: 1, cells: ['text', 'label'] },
    { line: 2, cells: ['one, "two"\nthree', 'a'] },
    { line: 5, cells: ['four', 'b'] }
  ]);
});

for (const [what, name, text] of /** @type {const} */ ([
  ['tabs', 'own.txt', 'text\tlabel\na, b\tx\nc\ty\n'],
  ['tabs by the name', 'own.tsv', 'text\tlabel\na, b\tx\nc\ty\n'],
  ['semicolons', 'own.csv', 'text;label\na, b;x\nc;y\n'],
  ['commas behind a byte order mark', 'own.csv', '\ufefftext,label\n"a, b",x\nc,y']
])) {
  test(`cells are set apart by ${what}`, async () => {
    const { rows } = await read(text, name);
    assert.deepEqual(
      rows.map(({ cells }) => cells),
      [
        ['text', 'label'],
        ['a, b', 'x'],
        ['c', 'y']
      ]
    );
  });
}

test('a row with wrong quotation marks is left out with its line, and those behind it are read', async () => {
  const { rows, bad } = await read('text,label\na,x\n"open,x\nb,y\n"in"side",x\nc,x\n"fine\nhere",y\n"end,x\n');
  assert.deepEqual(
    rows.map(({ line }) => line),
    [1, 2, 4, 6, 7]
  );
  assert.deepEqual(bad, [
    { line: 3, reason: 'a quotation mark within a quoted cell is not written twice' },
    { line: 5, reason: 'a quotation mark within a quoted cell is not written twice' },
    { line: 9, reason: 'a quotation mark opens here, and none closes it' }
  ]);
});

for (const [what, content, message] of /** @type {[string, string | number[], RegExp][]} */ ([
  ['nothing', '', /^own\.csv has no rows$/],
  ['empty lines', '\n\n', /^own\.csv has no rows$/],
  ['binary data', [0x50, 0x4b, 0, 3], /^own\.csv is no text but binary data$/],
  ['too much', Array(LARGEST_FILE + 1).fill(0x61), /^own\.csv has 10\s*MiB; at most 10\s*MiB are read$/],
  ['quotation marks everywhere', 'a,b\n' + '"x,y\n'.repeat(300), /more than 200 rows with unbalanced quotation marks/]
])) {
  test(`a file with ${what} is refused as a whole`, () =>
    assert.rejects(read(content), (error) => error instanceof RangeError && message.test(error.message)));
}

test('a checksum tells files of one name apart', async () => {
  assert.equal((await read('123456789')).checksum, 'cbf43926'); // the check value of CRC-32
});

/** Two bytes a character. @param {string} text @param {boolean} [bigEndian] */
const utf16 = (text, bigEndian = false) =>
  Uint8Array.from(
    [...text]
      .flatMap((one) => [one.charCodeAt(0) & 0xff, one.charCodeAt(0) >> 8])
      .map((_, at, all) => all[at ^ Number(bigEndian)])
  );

/** A byte a character. @param {string} text */
const latin1 = (text) => Uint8Array.from(text, (one) => one.charCodeAt(0));

const ACCENTS = 'Größe,label\nUn café à Angoulême,bon\n"Füße, müde",schlecht\n';

for (const [encoding, bytes, remarks] of /** @type {[string, Uint8Array, string[]][]} */ ([
  ['UTF-8', new TextEncoder().encode(ACCENTS), []],
  ['UTF-8 behind a byte-order mark', new TextEncoder().encode(`\ufeff${ACCENTS}`), []],
  ['UTF-16, little-endian behind its mark', utf16(`\ufeff${ACCENTS}`), ['The file is in UTF-16.']],
  ['UTF-16, big-endian behind its mark', utf16(`\ufeff${ACCENTS}`, true), ['The file is in UTF-16.']],
  ['UTF-16, little-endian without a mark', utf16(ACCENTS), ['The file is in UTF-16.']],
  ['UTF-16, big-endian without a mark', utf16(ACCENTS, true), ['The file is in UTF-16.']],
  ['Latin-1', latin1(ACCENTS), ['The file is not in UTF-8 and is read as Latin-1 (Windows-1252).']]
])) {
  test(`${encoding} is read, and what is not UTF-8 is said`, async () => {
    const table = await read(bytes);
    assert.deepEqual(cellsOf(table), [
      ['Größe', 'label'],
      ['Un café à Angoulême', 'bon'],
      ['Füße, müde', 'schlecht']
    ]);
    assert.deepEqual(table.remarks, remarks);
  });
}

for (const [content, bytes] of /** @type {[string, number[]][]} */ ([
  ['Chinese in GBK', [0xba, 0xc3, 0xb3, 0xd4, 0x2c, 0xca, 0xc7]],
  ['Russian in Windows-1251', [0xf5, 0xee, 0xf0, 0xee, 0xf8, 0xee, 0x2c, 0xe4, 0xe0]],
  ['Japanese in Shift-JIS', [0x83, 0x41, 0x83, 0x43, 0x81, 0x42, 0x2c, 0x41]],
  ['UTF-8 of which one byte is damaged', [...new TextEncoder().encode('déjà vu à côté'), 0xe9]],
  ['UTF-8 that was cut within a letter', [...new TextEncoder().encode('хорошо,да\nпло'), 0xd1]]
])) {
  test(`${content} is refused, not read as Latin-1`, () =>
    assert.rejects(read(Uint8Array.from(bytes)), /^RangeError: own\.csv is not in UTF-8; save it in that encoding$/));
}

for (const [content, bytes] of /** @type {[string, number[]][]} */ ([
  ['a zip file', [0x50, 0x4b, 3, 4, 0x14, 0, 0, 0]],
  ['a picture', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0]],
  ['a compressed file', [0x1f, 0x8b, 8, 1, 0xaa, 0x41, 0x42]]
])) {
  test(`${content} is binary data`, () =>
    assert.rejects(read(Uint8Array.from(bytes)), /^RangeError: own\.csv is no text but binary data$/));
}

for (const [source, text, cells] of /** @type {[string, string, string[][]][]} */ ([
  [
    'the line of Excel that names the separator',
    'sep=;\na;b\n1,5;x\n',
    [
      ['a', 'b'],
      ['1,5', 'x']
    ]
  ],
  [
    'the same in quotation marks, behind a byte-order mark',
    '\ufeff"sep=|"\r\na|b,c\r\n1|x\r\n',
    [
      ['a', 'b,c'],
      ['1', 'x']
    ]
  ],
  [
    'decimal commas in every cell',
    '1,5;2,5;3\n1,5;2,5;4\n',
    [
      ['1,5', '2,5', '3'],
      ['1,5', '2,5', '4']
    ]
  ],
  [
    'line ends of old Macs, also within quotation marks',
    'a,b\r"one\rtwo",x\r',
    [
      ['a', 'b'],
      ['one\ntwo', 'x']
    ]
  ],
  [
    'line ends of Windows within quotation marks',
    'a,b\r\n"one\r\ntwo",x\r\n',
    [
      ['a', 'b'],
      ['one\ntwo', 'x']
    ]
  ],
  [
    'rows of separators alone',
    'a;b\n1;x\n;\n ; \n',
    [
      ['a', 'b'],
      ['1', 'x']
    ]
  ]
])) {
  test(`a spreadsheet's ${source}: read as it was meant`, async () => {
    assert.deepEqual(cellsOf(await read(text)), cells);
  });
}

test('rows keep their lines behind the line of the separator', async () => {
  const { rows } = await read('sep=;\na;b\n1;x\n');
  assert.deepEqual(
    rows.map(({ line }) => line),
    [2, 3]
  );
});

for (const [cell, point, comma] of /** @type {[string, number, number][]} */ ([
  ['1.5', 1.5, NaN],
  ['1,5', NaN, 1.5],
  ['-1.234,5', NaN, -1234.5],
  ['1.234', 1.234, 1234],
  ['1 234 567,8', NaN, 1234567.8],
  ['1\u202f234,5', NaN, 1234.5],
  ['12.34,5', NaN, NaN],
  ['3e-2', 0.03, 0.03],
  ['１２．５', 12.5, NaN],
  ['−4', -4, -4],
  ['7', 7, 7],
  ['0x10', NaN, NaN],
  ['', NaN, NaN],
  ['1,2,3', NaN, NaN]
])) {
  test(`the number ${JSON.stringify(cell)} with a point and with a comma before its decimals`, () => {
    assert.deepEqual([numberIn(cell), numberIn(cell, ',')], [point, comma]);
  });
}

for (const [place, text, decimal] of /** @type {const} */ ([
  ['behind semicolons', 'a;b;label\n1,5;2;x\n3,25;4;y\n', ','],
  ['behind semicolons where no number has decimals', 'a;b;label\n1;2;x\n3;4;y\n', '.'],
  ['behind semicolons, with points', 'a;b;label\n1.5;2;x\n3.25;4;y\n', '.'],
  ['behind tabs', 'a\tlabel\n1,25\tx\n3,5\ty\n', ','],
  ['behind tabs, where commas set thousands apart', 'a\tlabel\n1,250\tx\n3,500\ty\n', '.'],
  ['behind commas', 'a,label\n"1,25",x\n"3,5",y\n', '.']
])) {
  test(`decimals ${place} begin with ${decimal}`, async () => {
    const table = await read(text);
    assert.equal(table.decimal, decimal);
    assert.deepEqual(table.remarks, decimal === ',' ? ['Numbers have a decimal comma.'] : []);
  });
}
