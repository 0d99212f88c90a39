// Runs each JavaScript example of the README as it stands. The text block after it is what it must print. C++ and
// Python blocks must stand in the file that the text names just before them.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { examples, readme } from './examples.js';

/** @param {string} markdown */
function quotesOf(markdown) {
  const blocks = markdown.matchAll(/`([\w/.]+)`:\n\n```(?:cpp|python)\n([^]*?)^```$/gm);
  return [...blocks].map(([, file, code]) => ({ file, code }));
}

const folder = join(project, 'build', 'readme'); // inside the package, so that it can import itself by its name
mkdirSync(folder, { recursive: true });
const quotes = quotesOf(readme);

test('the README has examples, each with what it prints', () => {
  assert.ok(examples.length >= 3, `${examples.length} examples`);
  assert.deepEqual(examples.filter(({ printed }) => printed === undefined).map(({ code }) => code), []);
});

for (const { name, code, printed } of examples) {
  test(`${name} prints what the README says: ${code.split('\n').find((line) => line.includes('scope.'))?.trim()}`, async () => {
    const file = join(folder, `${name.replace(' ', '-')}.mjs`);
    writeFileSync(file, code);
    assert.equal(await run(process.execPath, [file]), printed);
  });
}

test('the README shows a layer of its own, and the row that judges it', () => {
  assert.deepEqual(quotes.map(({ file }) => file.split('/')[0]), ['cpp', 'tests']);
  assert.equal(readme.match(/^```(cpp|python)$/gm)?.length, quotes.length);
});

for (const { file, code } of quotes) {
  test(`what the README quotes stands in ${file}`, () => {
    assert.ok(readFileSync(join(project, file), 'utf8').includes(code), code);
  });
}
