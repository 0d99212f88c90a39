// attnscope/element from the packed package, in a page that Vite builds.

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'vite';
import { run } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { figure, openPage } from './open-page.js';

const page = `<!doctype html><html lang="en"><title>A page</title><link rel="icon" href="data:,">
  <attnscope-calculator hidden_size="64"></attnscope-calculator><script type="module" src="./main.js"></script></html>`;

/** @type {string} */
let folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attnscope-element-'));
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: project });
  const [archive] = readdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--prefer-offline', `./${archive}`], { cwd: folder });
  writeFileSync(join(folder, 'index.html'), page);
  writeFileSync(join(folder, 'main.js'), "import 'attnscope/element';\n");
  await build({ root: folder, configFile: false, logLevel: 'silent' });
});

after(() => rmSync(folder, { recursive: true, force: true }));

for (const isolated of [true, false]) {
  test(`it sizes and runs a layer ${isolated ? 'with threads' : 'with one thread where the page is not isolated'}`, async (t) => {
    const site = await openPage({ folder: join(folder, 'dist'), isolated, live: false });
    t.after(() => site.close());
    await site.page.waitForSelector('.figures');
    assert.equal(await figure(site.page, 'parameters'), '65');
    await site.page.locator('#run').scrollIntoViewIfNeeded();
    await site.page.waitForSelector('[data-run="fresh"]');
    assert.match(
      await site.page.locator('.build').innerText(),
      isolated ? /, \d+ threads?$/ : /1 thread\b.*not cross-origin isolated/s
    );
    assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
  });
}

test('each WebAssembly build is there once', () => {
  const names = readdirSync(join(folder, 'dist/assets'))
    .filter((name) => name.endsWith('.wasm'))
    .map((name) => name.replace(/-[\w-]{8}\.wasm$/, ''));
  assert.deepEqual(names.sort(), ['reference', 'relaxed', 'relaxed-threads', 'simd', 'simd-threads']);
});
