// The examples of the README and of docs/ are JavaScript: as they stand they are TypeScript too, with the package's own
// types.

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { examples } from '../readme/documents.js';
import { compilers } from './compilers.js';

const folder = join(project, 'build', 'readme-types'); // inside the package, so that it can import itself by its name
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const files = examples.map(({ name, code }) => {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, code);
  return file;
});

for (const { name, tsc } of compilers) {
  test(`${name} compiles each example of the README and of docs/ as it stands`, async () => {
    assert.ok(files.length >= 3);
    const options = [
      '--strict',
      '--noEmit',
      '--pretty',
      'false',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--module',
      'nodenext',
      '--types',
      'node'
    ];
    assert.equal((await attempt(process.execPath, [tsc, ...options, ...files], { cwd: project })).output, '');
  });
}
