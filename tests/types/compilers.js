// The TypeScript compilers that the declarations are held against, and what each has to accept. `npm test` compiles by
// the repository's own, `npm run test:all` by the oldest and the newest as well.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { examples } from '../readme/documents.js';

/** @typedef {{ name: string, tsc: string, buffers: boolean }} Compiler */

/** @type {Compiler[]} */
const compilers = ['typescript-5.4', 'typescript', 'typescript-7'].map((folder) => {
  const home = join(project, 'node_modules', folder);
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  return { name: `TypeScript ${version}`, tsc: join(home, 'bin/tsc'), buffers: folder !== 'typescript-5.4' };
});

export const [oldest, own, newest] = compilers;

/** @param {Compiler} compiler @param {string[]} args @returns {Promise<string>} the errors; '' if there are none */
export async function errorsOf({ tsc }, args) {
  return (await attempt(process.execPath, [tsc, '--pretty', 'false', ...args], { cwd: project })).output;
}

const strict = ['--strict', '--noEmit', '--target', 'es2022', '--types', 'node'];
const nodenext = ['--module', 'nodenext'];
const resolutions = { Node: [], bundlers: ['--module', 'esnext', '--moduleResolution', 'bundler'] };

/**
 * Tests the declarations as a user of a compiler meets them.
 * @param {Compiler} compiler
 * @param {(keyof typeof resolutions)[]} asked
 */
export function testDeclarations(compiler, asked) {
  const { name, buffers } = compiler;
  for (const resolution of asked) {
    const args = resolutions[resolution];
    test(`${name} knows configs, inputs and results by layer, and refuses what is wrong, with the resolution of ${resolution}`, async () => {
      assert.equal(await errorsOf(compiler, ['-p', 'tests/types/tsconfig.json', ...args]), '');
    });
    if (!buffers) continue;
    test(`${name} knows that nobody shares a result's memory, Float16Array and \`using\`, with the resolution of ${resolution}`, async () => {
      const options = [...(args.length > 0 ? args : nodenext), ...strict, '--lib', 'esnext,dom'];
      assert.equal(await errorsOf(compiler, [...options, 'tests/types/newest.ts']), '');
    });
  }
}

/** Tests the examples of the README and of docs/: as they stand they are TypeScript. @param {Compiler} compiler */
export function testExamples(compiler) {
  // Inside the package, so that it can import itself by its name.
  const folder = join(project, 'build', `readme-types-${compilers.indexOf(compiler)}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = examples.map(({ name, code }) => {
    const file = join(folder, `${name}.ts`);
    writeFileSync(file, code);
    return file;
  });
  test(`${compiler.name} compiles each example of the README and of docs/ as it stands`, async () => {
    assert.ok(files.length >= 3);
    assert.equal(await errorsOf(compiler, [...strict, ...nodenext, '--lib', 'es2022,dom', ...files]), '');
  });
}
