// What the formatters and the linter say of the sources; `npm run format` writes what they want.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { clangFormatArguments, eslint, prettier } from '../../tools/style.js';
import { clangFormat, formatter } from '../../tools/toolchain.js';

/** @param {[command: string, args: string[], options?: import('../../tools/commands.js').RunOptions]} line */
async function assertClean([command, args, options]) {
  const { code, output } = await attempt(command, args, { cwd: project, ...options });
  assert.equal(code, 0, output);
}

test('JavaScript, TypeScript and JSON are as Prettier writes them', () => assertClean(prettier('check')));

test('JavaScript keeps the rules of eslint.config.js', () => assertClean(eslint()));

test('C++ is as clang-format writes it', async () => {
  const tools = await formatter();
  assert.ok(tools, `${clangFormat} is not on PATH`);
  return assertClean(tools.line(clangFormat, clangFormatArguments('check')));
});
