// Files of web/plain/, in its folders too, can be imported by a command line tool: they need no page. ESLint checks
// that they use no name that only a page has.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import typescript from 'typescript';
import { project } from '../../tools/folders.js';

const folder = join(project, 'web/plain');
const generated = join('attention-or-dense', 'data', '/'); // by the build, perhaps while this test runs
const files = readdirSync(folder, { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.js') && !name.startsWith(generated));
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
const packages = new Set(Object.keys({ ...dependencies, ...devDependencies }));

/** @param {string} text  modules that a file imports, and those of types that its comments name */
function importsOf(text) {
  const modules = typescript.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const ofTypes = [...text.matchAll(/\bimport\('([^'\n]+)'\)/g)].map(([, name]) => name);
  return new Set([...modules, ...ofTypes]);
}

/**
 * Whether a file of web/plain/ may import a module: another of its files, the library, or a package.
 * @param {string} file
 * @param {string} name
 */
function mayImport(file, name) {
  if (!name.startsWith('.')) return packages.has(name);
  const path = join(folder, dirname(file), name);
  return path === join(project, 'web/lib/index.js') || path.startsWith(join(folder, '/'));
}

for (const file of files) {
  const path = join(folder, file);

  test(`web/plain/${file} imports only files of web/plain and packages, and no type of an element`, () => {
    const outside = [...importsOf(readFileSync(path, 'utf8'))].filter((name) => !mayImport(file, name));
    assert.deepEqual(outside, []);
  });

  test(`web/plain/${file} loads where there is no DOM`, async () => {
    assert.equal('document' in globalThis, false);
    await import(pathToFileURL(path).href);
  });
}
