import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';

const checked = {
  'the module has no type error': ['tools/tsconfig.library.json', '--noEmit'],
  'the elements, the site and the page tests have no type error': ['web/tsconfig.json'],
  'the tools and their tests have no type error': ['tools/tsconfig.json'],
  'a TypeScript user gets the types of results, and errors on wrong fields': ['tests/types/tsconfig.json'],
  'so with the resolution of bundlers': ['tests/types/tsconfig.json', '--module', 'esnext', '--moduleResolution', 'bundler']
};

for (const [name, args] of Object.entries(checked)) {
  test(name, async () => {
    const tsc = join(project, 'node_modules/typescript/bin/tsc');
    const { output } = await attempt(process.execPath, [tsc, '--pretty', 'false', '-p', ...args], { cwd: project });
    assert.equal(output, '');
  });
}
