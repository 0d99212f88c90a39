import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { headers } from '../../tools/headers.js';
import { sameModules } from '../../tools/stages.js';
import { suites } from '../../tools/suites.js';

/** @param {string} script @param {string[]} args @param {Record<string, string>} [env] */
const runScript = (script, args, env) =>
  attempt(process.execPath, [join(project, 'tools', script), ...args], { cwd: project, env });

test('npm start refuses a port that is none', async () => {
  const { code, output } = await runScript('start.js', [], { PORT: '80.5' });
  assert.deepEqual([code, output], [1, 'PORT must be a whole number from 1 to 65535, got 80.5\n']);
});

test('npm test refuses a suite that is none, and names those that are', async () => {
  const { code, output } = await runScript('test.js', ['jss']);
  assert.equal(code, 1);
  assert.equal(output, `no suite or test file jss; there are ${suites.map(({ name }) => name).join(', ')}\n`);
});

test('a lock file that says something else than node_modules has makes packages stale', () => {
  const lock = (/** @type {object} */ packages) => JSON.stringify({ packages: { '': {}, ...packages } });
  const present = JSON.stringify({ packages: { a: { version: '1' } } });
  assert.equal(sameModules(lock({ a: { version: '1' } }), present), true);
  assert.equal(sameModules(lock({ a: { version: '1' }, b: { version: '1', optional: true } }), present), true);
  assert.equal(sameModules(lock({ a: { version: '2' } }), present), false);
  assert.equal(sameModules(lock({ a: { version: '1' }, b: { version: '1' } }), present), false);
  assert.equal(sameModules(lock({}), present), false);
});

test('the lock file names no addresses', () => {
  assert.doesNotMatch(readFileSync(join(project, 'package-lock.json'), 'utf8'), /"resolved":/);
});

test('the policy lets no script run but files of the site, and WebAssembly', () => {
  assert.match(headers['Content-Security-Policy'], /script-src 'self' 'wasm-unsafe-eval';/);
  assert.doesNotMatch(headers['Content-Security-Policy'], /'unsafe-eval'|script-src[^;]*unsafe-inline|\*/);
});
