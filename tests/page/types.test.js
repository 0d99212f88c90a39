import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the types of elements, pages and their tests are right', () => {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, '-p', fileURLToPath(new URL('../../web/tsconfig.json', import.meta.url))],
    { encoding: 'utf8' }
  );
  assert.equal(stdout, '');
  assert.equal(status, 0);
});
