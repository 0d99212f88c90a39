// Runs each JavaScript example of the README as it stands. The text block after it is what it must print.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { run } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';

/** @param {string} markdown */
function examplesOf(markdown) {
  const blocks = markdown.matchAll(/^```js\n([^]*?)^```\n(?:\s*^```text\n([^]*?)^```$)?/gm);
  return [...blocks].map(([, code, printed], i) => ({ name: `example ${i + 1}`, code, printed }));
}

const folder = join(project, 'build', 'readme'); // inside the package, so that it can import itself by its name
mkdirSync(folder, { recursive: true });
const examples = examplesOf(readFileSync(join(project, 'README.md'), 'utf8'));

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
