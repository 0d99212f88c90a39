// tsc over everything that is typed, and the module's declarations and the examples as a user of the repository's own
// TypeScript meets them.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { project } from '../../tools/folders.js';
import { errorsOf, own, testDeclarations, testExamples } from './compilers.js';

for (const [claim, args] of Object.entries({
  'the module has no type error': ['-p', 'tools/tsconfig.library.json', '--noEmit'],
  'the elements, the site and the tests of both have no type error': ['-p', 'web/tsconfig.json'],
  'the tools and their tests have no type error': ['-p', 'tools/tsconfig.json']
})) {
  test(claim, async () => assert.equal(await errorsOf(own, args), ''));
}

testDeclarations(own, ['Node']);
testExamples(own);

test('each file that a declaration imports is there', () => {
  const declarations = join(project, 'web/lib/types');
  const files = readdirSync(declarations, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.d\.m?ts$/.test(name)
  );
  assert.ok(files.includes('index.d.ts'), String(files));
  for (const file of files) {
    const text = readFileSync(join(declarations, file), 'utf8');
    for (const [, name] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      const target = join(declarations, dirname(file), name.replace(/\.(m?)js$/, '.d.$1ts'));
      assert.ok(existsSync(target), `${file} imports ${name}`);
    }
  }
});

test('the core with threads and the one without have the same declarations', () => {
  for (const build of ['core', 'core-threads']) {
    const text = readFileSync(join(project, `web/lib/core/${build}.d.mts`), 'utf8');
    assert.equal(text, "export * from './core.js';\nexport { default } from './core.js';\n", build);
  }
});
