// An empty project with two lines of code, built by each bundler with its defaults: does it run?

import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { installPacked, installTools, makeProject } from '../packed.js';
import { closeBrowser, tryFolder } from './browser.js';
import { esbuild, rollup, vite, webpack } from './tools.js';

/** @type {string} */
let packed;
/** @type {string} */
let tools;

before(async () => {
  [packed, tools] = await Promise.all([installPacked(), installTools('tests/bundlers')]);
});

after(async () => {
  await closeBrowser();
  rmSync(packed, { recursive: true, force: true });
});

const bundlers = {
  Vite: vite('vite'),
  webpack,
  esbuild: esbuild([]),
  'esbuild for modules': esbuild(['--format=esm']),
  Rollup: rollup
};

for (const [name, { files, build }] of Object.entries(bundlers)) {
  test(`${name} builds the module, and it runs with threads, and with one where the page is not isolated`, async () => {
    const project = makeProject(tools, name.replaceAll(' ', '-'), packed, files);
    assert.equal(await tryFolder(await build(project, join(tools, 'node_modules'))), '');
  });
}
