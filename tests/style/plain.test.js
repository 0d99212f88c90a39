// What web/plain/ has, a command line tool can import: nothing there needs a page. ESLint holds that it names nothing
// of one.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { project } from '../../tools/folders.js';

const folder = join(project, 'web/plain');
const files = readdirSync(folder).filter((name) => name.endsWith('.js'));

for (const file of files) {
  test(`web/plain/${file} imports only what is in its folder, and no type of an element`, () => {
    const text = readFileSync(join(folder, file), 'utf8');
    const imported = [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) => name);
    const outside = imported.filter((name) => !files.includes(name.replace('./', '')));
    assert.deepEqual(
      outside.filter((name) => name !== '../lib/index.js'),
      []
    );
  });

  test(`web/plain/${file} loads where there is no DOM`, async () => {
    assert.equal('document' in globalThis, false);
    await import(pathToFileURL(join(folder, file)).href);
  });
}
