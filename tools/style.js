// What formats and checks the sources: Prettier and ESLint read JavaScript, clang-format reads C++.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { project } from './folders.js';

/** @typedef {[command: string, args: string[]]} Line */

const path = (/** @type {string} */ name) => join(project, 'node_modules', name);

/** Files that have not changed since the last time are not read again. @param {string} tool */
const cached = (tool) => [
  '--cache',
  '--cache-strategy',
  'content',
  '--cache-location',
  join(project, 'build/style', tool)
];

/** JavaScript, TypeScript and JSON; what not, says .prettierignore. @param {'check' | 'write'} task @returns {Line} */
export function prettier(task) {
  const args = [`--${task}`, '--log-level', 'warn', ...cached('prettier'), '.'];
  return [process.execPath, [path('prettier/bin/prettier.cjs'), ...args]];
}

/** @returns {Line} */
export function eslint() {
  return [process.execPath, [path('eslint/bin/eslint.js'), '--max-warnings', '0', ...cached('eslint'), '.']];
}

/** The files of C++, relative to the checkout. */
export function cppFiles() {
  return ['cpp', 'tests/cpp', 'tests/bench'].flatMap((folder) => {
    const names = readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' });
    return names
      .filter((name) => /\.(cpp|h)$/.test(name) && !name.includes('node_modules'))
      .sort()
      .map((name) => join(folder, name));
  });
}

/** Arguments of clang-format. @param {'check' | 'write'} task */
export function clangFormatArguments(task) {
  return [...(task === 'check' ? ['--dry-run', '--Werror'] : ['-i']), ...cppFiles()];
}
