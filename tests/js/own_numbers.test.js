import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { drawInputs, givenOf, withStart, writeOwn } from '../../web/plain/inputs.js';
import {
  cellsOfText,
  fitted,
  numbersOf,
  pasted,
  problemsOf,
  readCells,
  repeatedNumbers,
  textOfCells,
  writeCells
} from '../../web/plain/own-numbers.js';
import { pythonScript } from '../../web/plain/python.js';

/** @type {import('../../web/lib/index.js').Attnscope} */
let scope;
before(async () => {
  scope = await open({ threads: 1 });
});

test('a text is read with commas, tabs, spaces or semicolons between its numbers', () => {
  const cells = cellsOfText('1, 2\n\n-3;4.5\r\n5\t6e-1\n 7 8 \n');
  assert.deepEqual(numbersOf('x', cells, [3, 4, 2]), [
    [1, 2],
    [-3, 4.5],
    [5, 0.6],
    [7, 8]
  ]);
  assert.deepEqual(cellsOfText(textOfCells(cells)), cells);
  assert.deepEqual([...repeatedNumbers([[1], [2]], [2, 2, 1])], [1, 2, 1, 2]);
});

test('a block with tabs keeps empty cells and commas, as a spreadsheet copies them', () => {
  assert.deepEqual(cellsOfText('1,5\t\t2\r\n3\t4\t5\r\n'), [
    ['1,5', '', '2'],
    ['3', '4', '5']
  ]);
});

test('each cell that is no number is found, and its place is said', () => {
  const problems = problemsOf('query', cellsOfText('1\tx\t\n1e999\t1,5\t2'), [2, 3]);
  assert.deepEqual(
    problems.map(({ row, column, message }) => [row, column, message]),
    [
      [0, 1, 'query, position 0, feature 1 must be a number, got "x"'],
      [0, 2, 'query, position 0, feature 2 must be a number, and is empty'],
      [1, 0, 'query, position 1, feature 0 must be a number, got "1e999"'],
      [1, 1, 'query, position 1, feature 1 must be a number, got "1,5": write 1.5']
    ]
  );
  for (const text of ['NaN', 'Infinity', '1e39', '--1', '0x'])
    assert.throws(() => numbersOf('key', [[text]], [1, 1]), {
      name: 'RangeError',
      field: 'key',
      message: `key, position 0, feature 0 must be a number, got "${text}"`
    });
});

test('rows and columns that do not fit are said, and can be cut or filled up', () => {
  const wrong = /** @type {[string, string][]} */ ([
    ['1 2', 'x must have 2 rows of 2 numbers, got 1 row of 2'],
    ['1 2\n3', 'x must have 2 rows of 2 numbers, got 2 rows of 1 and 2'],
    ['1\n2\n3', 'x must have 2 rows of 2 numbers, got 3 rows of 1'],
    ['', 'x must have 2 rows of 2 numbers, and is empty']
  ]);
  for (const [text, message] of wrong)
    assert.deepEqual(
      problemsOf('x', cellsOfText(text), [2, 2]).map((problem) => problem.message),
      [message]
    );
  assert.deepEqual(fitted([['1'], ['2'], ['x']], [2, 2]), [
    ['1', '0'],
    ['2', '0']
  ]);
});

test('a block is put in from a cell on; one that does not fit changes nothing', () => {
  const cells = [
    ['1', '2', '3'],
    ['4', '5', '6']
  ];
  assert.deepEqual(pasted(cells, [['a', 'b']], { row: 1, column: 1 }), [
    ['1', '2', '3'],
    ['4', 'a', 'b']
  ]);
  assert.throws(() => pasted(cells, [['a'], ['b']], { row: 1, column: 0 }), {
    name: 'RangeError',
    message:
      'a block of 2 × 1 does not fit from position 1, feature 0 on, where there is room for 1 × 3; nothing was pasted'
  });
  assert.deepEqual(cells[1], ['4', '5', '6']);
});

test('a link keeps whatever was typed, and reads the links of before', () => {
  const own = {
    query: [
      ['1', ' -2.5', 'a,b;c|d:e%'],
      ['', '1 2', 'é']
    ],
    key: [['3']]
  };
  const { pattern, own: read } = givenOf('own', writeOwn(own));
  assert.equal(pattern, 'own');
  assert.deepEqual(read, {
    query: [
      ['1', '-2.5', 'a,b;c|d:e%'],
      ['', '1 2', 'é']
    ],
    key: [['3']]
  });
  assert.deepEqual(readCells('1,2;3,4'), [
    ['1', '2'],
    ['3', '4']
  ]);
  assert.equal(writeCells([['1.5', '-2e-3']]), '1.5,-2e-3');
  assert.deepEqual(readCells('%zz'), [['%zz']]);
  assert.deepEqual(givenOf('own', 'query:|key:1'), { pattern: 'own', own: { query: [], key: [['1']] } });
  assert.deepEqual(givenOf('', 'query:1'), { pattern: 'words', own: {} });
  assert.deepEqual(givenOf('__proto__', ''), { pattern: 'words', own: {} });
});

test('an input that nobody gave numbers starts from those of the seed; a large one and tokens are drawn', () => {
  const inputs = [
    { name: 'query', shape: [2, 2, 3] },
    { name: 'key', shape: [2, 17, 3] },
    { name: 'tokens', shape: [2, 2], integer: true, limit: 5 }
  ];
  const { own } = withStart(scope, inputs, 0, givenOf('own', ''));
  assert.deepEqual(Object.keys(own), ['query']);
  assert.deepEqual(problemsOf('query', own.query, [2, 2, 3]), []);
  const [first] = scope.randn([2, 3], { seed: 1 }).data;
  assert.equal(own.query[0][0], String(Number(first.toFixed(2))));
  const typed = givenOf('own', 'query:1,2,3;4,5,6');
  assert.deepEqual(withStart(scope, inputs, 0, typed), typed);
  const drawn = drawInputs(scope, inputs, 0, typed);
  assert.deepEqual([...drawn.query.data], [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6]);
  assert.equal(drawn.key.data.length, 2 * 17 * 3);
});

test('whole numbers are printed as floats, of which PyTorch makes no integers', () => {
  const run = { inputs: [{ name: 'x', shape: [1, 2, 3] }], masks: [] };
  const given = givenOf('own', 'x:1,-2,3e30;0.5,1e-7,-0');
  const python = pythonScript('import torch\n', run, { seed: 0, masks: {}, className: 'Layer', given });
  assert.match(python, /\nx = torch\.tensor\(\[\[1\.0, -2\.0, 3e\+30\], \[0\.5, 1e-7, 0\.0\]\]\)\.expand\(1, 2, 3\)\n/);
});
