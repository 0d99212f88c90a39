import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ensureRoot, enterer, isReady, recipeHash } from '../../tools/roots.js';
import { quiet, scratch, write } from './scratch.js';

const recipe = { name: 'small', suite: 'none', packages: ['a', 'b'], version: 1, about: 'no time' };

/**
 * Stands for the program that fills a root with packages.
 * @param {import('../../tools/roots.js').Recipe} recipe
 * @param {string} folder
 */
async function fill({ packages }, folder) {
  for (const name of packages) write(join(folder, name), name);
}

test('a root is made once', async (t) => {
  const lines = quiet(t);
  const cache = scratch(t);
  assert.equal(isReady(recipe, cache), false);
  const root = await ensureRoot(recipe, cache, fill);
  assert.deepEqual(readdirSync(root), ['a', 'attnscope.json', 'b']);
  assert.equal(isReady(recipe, cache), true);
  await ensureRoot(recipe, cache, () => assert.fail('it is there'));
  assert.equal(lines[0], `small root: making it in ${root} (once, no time)`);
});

test('a set-up that was killed is noticed: what it left is removed, and the root made anew', async (t) => {
  const lines = quiet(t);
  const cache = scratch(t);
  const script = `
    import { ensureRoot } from ${JSON.stringify(new URL('../../tools/roots.js', import.meta.url))};
    import { mkdirSync, writeFileSync } from 'node:fs';
    await ensureRoot(${JSON.stringify(recipe)}, ${JSON.stringify(cache)}, (recipe, folder) => {
      mkdirSync(folder);
      writeFileSync(folder + '/a', 'half');
      console.log('filling');
      return new Promise(() => setInterval(() => {}, 1000));
    });`;
  const killed = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit']
  });
  let output = '';
  for await (const chunk of killed.stdout) if ((output += chunk).includes('filling')) break;
  killed.kill('SIGKILL');
  await once(killed, 'close');
  assert.equal(readdirSync(cache).filter((name) => name.startsWith('small.making-')).length, 1);
  assert.equal(isReady(recipe, cache), false);

  const root = await ensureRoot(recipe, cache, fill);
  assert.equal(readFileSync(join(root, 'a'), 'utf8'), 'a');
  assert.deepEqual(readdirSync(cache).sort(), ['small', 'small.lock']);
  assert.ok(lines.includes('small root: removing a half-made one'), lines.join('\n'));
});

test('a root that could not be filled or finished is not in place', async (t) => {
  quiet(t);
  const cache = scratch(t);
  const unfinished = { ...recipe, finish: () => Promise.reject(new Error('no compiler')) };
  await assert.rejects(ensureRoot(unfinished, cache, fill), { message: 'no compiler' });
  assert.equal(existsSync(join(cache, 'small')), false);
});

test('a folder without the stamp, or with that of another recipe, is made anew', async (t) => {
  const lines = quiet(t);
  const cache = scratch(t, { 'small/old': 'x' });
  await ensureRoot(recipe, cache, fill);
  const changed = { ...recipe, packages: ['c'] };
  const root = await ensureRoot(changed, cache, fill);
  assert.deepEqual(readdirSync(root), ['attnscope.json', 'c']);
  assert.equal(lines.filter((line) => line === 'small root: removing one of another recipe').length, 2);
});

test('of two set-ups at once, one makes the root', async (t) => {
  quiet(t);
  const cache = scratch(t);
  let made = 0;
  const count = (/** @type {import('../../tools/roots.js').Recipe} */ which, /** @type {string} */ folder) => {
    made++;
    return fill(which, folder);
  };
  await Promise.all([ensureRoot(recipe, cache, count), ensureRoot(recipe, cache, count)]);
  assert.equal(made, 1);
});

test('a recipe is known by its packages, release and version', () => {
  const others = [
    { ...recipe, packages: ['a'] },
    { ...recipe, suite: 'sid' },
    { ...recipe, version: 2 }
  ];
  assert.equal(new Set([recipe, ...others].map(recipeHash)).size, 4);
  assert.equal(recipeHash({ ...recipe, about: 'an hour' }), recipeHash(recipe));
});

test('a command in a root sees the root as /, and only the folders it is given, each where it is mounted', () => {
  const mounts = { '/here': '/here', '/there': '/elsewhere' };
  const [command, args] = enterer('/cache/small')('ls', ['-l'], { cwd: '/here', env: { A: 'b' }, mounts });
  const line = [command, ...args].join(' ');
  assert.match(
    line,
    /^bwrap .*--bind \/cache\/small \/ .*--bind \/here \/here --bind \/elsewhere \/there --.*--setenv A b --chdir \/here ls -l$/
  );
});
