// What is proposed for a table: its header, label and text, its columns of numbers, each with a reason.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnNames, columnsOf, numberColumns } from '../../web/plain/tables/columns.js';
import { hasHeader } from '../../web/plain/tables/header.js';
import { labelledRows } from '../../web/plain/tables/labelled-rows.js';
import { isMissing } from '../../web/plain/tables/numbers.js';
import { proposed, reasonsOf } from '../../web/plain/tables/proposal.js';
import { readTable } from '../../web/plain/tables/table.js';

/** @param {string} content */
const read = (content) => readTable('own.csv', new TextEncoder().encode(content));

/** @param {number} count @param {(at: number) => string} row */
const many = (count, row) => Array.from({ length: count }, (_, at) => `${row(at)}\n`).join('');

for (const [what, text, expected] of /** @type {[string, string, Record<string, unknown>][]} */ ([
  [
    'names',
    'id,review,label\n1,so good,1\n2,so bad,0\n',
    { header: true, form: 'text', label_column: 'label', text_column: 'review' }
  ],
  [
    'content',
    'a fine day,yes\na bad day,no\na long day,yes\n',
    { header: false, form: 'text', label_column: 'column 2', text_column: 'column 1' }
  ],
  [
    'numbers',
    'long,wide,sort\n1,2,a\n3,4,b\n5,6,a\n',
    { header: true, form: 'numbers', label_column: 'sort', text_column: 'long' }
  ],
  [
    'numbers beside a key of one word in each row',
    'country,2019,2020,up\nchile,1.5,2,no\npapua,3.1,4,yes\nbenin,5,6,no\n',
    { header: true, form: 'numbers', label_column: 'up', text_column: 'country' }
  ],
  [
    'numbers without names',
    '1.5,2,0\n3,4e2,1\n5,-6,0\n',
    { header: false, form: 'numbers', label_column: 'column 3', text_column: 'column 2' }
  ]
])) {
  test(`columns are found by ${what}`, async () => assert.deepEqual(proposed(await read(text)), expected));
}

test('what is given is kept where the table has it', async () => {
  const table = await read('text,label,other\nso good,1,x\nso bad,0,y\n');
  assert.equal(proposed(table, { label_column: 'other' }).label_column, 'other');
  assert.equal(proposed(table, { label_column: 'none' }).label_column, 'label');
  assert.equal(proposed(table, { header: 'false' }).text_column, 'column 1');
});

test('numbers with decimal commas are trained on as the spreadsheet meant them', async () => {
  const table = await read(`länge;breite;label\n${many(20, (at) => `${at},5;1.${100 + at},25;${at % 2 ? 'x' : 'y'}`)}`);
  const { rows, found } = labelledRows(proposed(table), table);
  assert.deepEqual(found.bad, []);
  assert.deepEqual(rows[3].numbers, [3.5, 1103.25]);
});

for (const [table, text, header] of /** @type {[string, string, boolean][]} */ ([
  ['pandas, with an index without a name', `,text,label\n${many(6, (at) => `${at},so it is ${at},${at % 2}`)}`, true],
  ['pandas, columns without names', `,0,1,2,3\n${many(6, (at) => `${at},${at * 1.5},${at % 3},7.5,${at % 2}`)}`, true],
  ['pandas, Unnamed: 0', `Unnamed: 0,a,b\n${many(6, (at) => `${at},${at * 2},x`)}`, true],
  [
    'spam of SMS, with nameless columns',
    `v1,v2,,,\n${many(8, (at) => `${at % 3 ? 'ham' : 'spam'},Call me at ${at},,,`)}`,
    true
  ],
  ['years', `country,2019,2020,2021,grade\n${many(8, (at) => `c${at},${at}.5,${at * 3},7,${'AB'[at % 2]}`)}`, true],
  ['two years', `2019,2020,label\n${many(8, (at) => `${at}.5,${at * 3},${'AB'[at % 2]}`)}`, true],
  ['rows of years without names', many(8, (at) => `${2000 + at},${2010 + at},${'AB'[at % 2]}`), false],
  ['rows that count, without names', many(8, (at) => `${at},${at + 1},${at + 2},${'AB'[at % 2]}`), false],
  ['doubled names', `score,score,label\n${many(8, (at) => `${at},${at * 2},${'AB'[at % 2]}`)}`, true],
  [
    'a name that is a cell as well',
    `text,label\n${many(8, (at) => `it is day ${at},${'ab'[at % 2]}`)}text,label\n`,
    true
  ],
  [
    'a name that is a text as well',
    `good,stars\n${many(8, (at) => `so very nice ${at},${1 + (at % 5)}`)}good,5\n`,
    true
  ],
  [
    'names above sentences',
    `Customer review,Verdict\n${many(8, (at) => `I came in at ${at} and left late that day,${at % 2 ? 'good' : 'bad'}`)}`,
    true
  ],
  ['sentences without names', many(8, (at) => `I came in at ${at},${at % 2 ? 'good' : 'bad'}`), false],
  ['numbers without names', many(8, (at) => `${5 + at / 10},${3 - at / 10},${at % 2 ? 'setosa' : 'virginica'}`), false],
  [
    'numbers and missing numbers without names',
    `?,2,x\n${many(8, (at) => `${at},${at * 2},${at % 2 ? 'x' : 'y'}`)}`,
    false
  ],
  ['labels first, without names', many(8, (at) => `${at % 2 ? 'ham' : 'spam'},Call me at ${at}`), false],
  ['tokens of one word without names', many(8, (at) => `${at % 2 ? 'noun' : 'verb'},${'abcd'[at % 4]}`), false],
  ['nothing but names', 'text,label\n', false]
])) {
  test(`a header is found by all columns: ${table}`, async () => {
    assert.equal(hasHeader(await read(text)), header);
  });
}

test('R names no column of row names: the first row is one cell short', async () => {
  const table = await read(`"text","label"\n${many(5, (at) => `"${at + 1}","so it is","${at % 2}"`)}`);
  assert.deepEqual(columnNames(table, hasHeader(table)), ['column 1', 'text', 'label']);
  assert.deepEqual(table.remarks, ['The first row has one cell fewer than all others: the first column has no name.']);
});

for (const [table, text, label, why] of /** @type {[string, string, string, string][]} */ ([
  ['label before y', `x,y,label\n${many(9, (at) => `${at / 7},${at % 2},${at % 3}`)}`, 'label', 'by its name'],
  [
    'sentiment before kind',
    `kind,sentiment,text\n${many(9, (at) => `${at % 2},${at % 3},it is ${at}`)}`,
    'sentiment',
    'by its name'
  ],
  ['Class in capitals', `a,CLASS,b\n${many(9, (at) => `${at % 2},${at % 3},it is ${at}`)}`, 'CLASS', 'by its name'],
  [
    'a target that is measured, and no class',
    `target,grade,text\n${many(60, (at) => `${at / 7},${'ABC'[at % 3]},it is ${at}`)}`,
    'grade',
    'as it has the fewest different values, 3'
  ],
  [
    'y is a coordinate',
    `x,y,zone\n${many(60, (at) => `${at / 7},${at / 3},${'ABC'[at % 3]}`)}`,
    'zone',
    'as it has the fewest different values, 3'
  ],
  [
    'a column that is mostly empty has few values, and is none',
    `v1,v2,\n${many(60, (at) => `${'ABC'[at % 3]},it is ${at},${at < 2 ? at : ''}`)}`,
    'v1',
    'as it has the fewest different values, 3'
  ],
  ['a label that is the same everywhere', 'text,label\nx,a\ny,a\n', 'label', 'by its name']
])) {
  test(`the label is proposed with its reason: ${table}`, async () => {
    const own = await read(text);
    const settings = proposed(own);
    assert.equal(settings.label_column, label);
    assert.equal(reasonsOf(own, settings).label, why);
    const other = columnNames(own, true).find((name) => name !== label);
    assert.equal(reasonsOf(own, { ...settings, label_column: other }).label, '', 'a chosen column has no reason');
  });
}

test('the text is proposed with its reason', async () => {
  const named = await read('note,text,label\nso it is today,x,a\nso it is not,y,b\n');
  assert.deepEqual([proposed(named).text_column, reasonsOf(named, proposed(named)).text], ['text', 'by its name']);
  const long = await read('short,note,label\nx y,so it is today,a\nx z,so it is not,b\n');
  assert.deepEqual(
    [proposed(long).text_column, reasonsOf(long, proposed(long)).text],
    ['note', 'as its cells are the longest']
  );
});

test('numbers that are missing do not make a column one of texts, and each is blamed by its name', async () => {
  const row = (/** @type {number} */ at) => `${at % 5 ? at : ['?', 'NA', 'n/a', ''][at % 4]},${at / 8},${'xy'[at % 2]}`;
  const table = await read(`power,weight,origin\n${many(40, row)}`);
  const settings = proposed(table);
  assert.deepEqual([settings.form, settings.label_column], ['numbers', 'origin']);
  const { columns, rows, found } = labelledRows(settings, table);
  assert.deepEqual(columns, ['power', 'weight']);
  assert.equal(rows.length, 32);
  assert.deepEqual(
    found.bad.slice(0, 4).map(({ line, reason }) => `${line}: ${reason}`),
    ['2: power is missing: ?', '7: power is missing: NA', '12: power is missing: n/a', '17: power is empty']
  );
  for (const cell of ['', ' ', '?', 'NA', 'NaN', 'null', '-', '#N/A']) assert.ok(isMissing(cell), cell);
  for (const cell of ['0', 'no', 'Nan a', 'nothing']) assert.ok(!isMissing(cell), cell);
});

test('an index and a mostly empty column are no numbers to learn from, and are named with the reason', async () => {
  const table = await read(
    `,id,size,cabin,label\n${many(40, (at) => `${at},${(at * 7) % 40},${at / 3},${at < 5 ? at : ''},${'xy'[at % 2]}`)}`
  );
  const settings = proposed(table);
  const { columns, found } = labelledRows(settings, table);
  assert.deepEqual(columns, ['size']);
  assert.deepEqual(found.others, ['column 1 (numbers the rows)', 'id (numbers the rows)', 'cabin (mostly empty)']);
});

test('numbers that only look like an index are used: named otherwise, or repeated', async () => {
  const table = await read(`day,id,label\n${many(40, (at) => `${at},${at % 9},${'xy'[at % 2]}`)}`);
  assert.deepEqual(numberColumns(table, true, 2), [0, 1]);
  assert.ok(columnsOf(table, true).every(({ countsRows }) => !countsRows));
});

test('a label of many numbers is refused as what it is', async () => {
  const table = await read(`size,price\n${many(300, (at) => `${at % 17},${at / 8}`)}`);
  assert.throws(
    () => labelledRows({ header: true, form: 'numbers', label_column: 'price' }, table),
    /^RangeError: price has 300 different numbers; at most 100 can be told apart$/
  );
});
