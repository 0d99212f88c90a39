// npm run tidy: clang-tidy over the core and its tests, minutes of it. `npm run tidy -- cpp/run/rotary.cpp` reads only
// that. No suite of `npm test`, which would wait for it.

import { availableParallelism } from 'node:os';
import { main } from './build.js';
import { run } from './commands.js';
import { clangTidy, tidier } from './toolchain.js';

const folder = 'build/tidy';

/** A regular expression that finds a file, given from the checkout. @param {string} file */
const finding = (file) => `/${file.replaceAll(/[.+]/g, '\\$&')}$`;

await main(async () => {
  const tools = await tidier();
  // Without precompiled headers, which only the compiler that made them can read.
  const options = ['-DCMAKE_EXPORT_COMPILE_COMMANDS=ON', '-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON'];
  await tools.run('cmake', ['--preset', 'native', '-B', folder, ...options]);
  const files = process.argv.slice(2).map(finding);
  const jobs = ['-quiet', '-j', String(availableParallelism()), '-clang-tidy-binary', clangTidy];
  const line = tools.line('run-clang-tidy-21', ['-p', folder, ...jobs, ...files]);
  const [command, args, rest] = line;
  process.stdout.write(await run(command, args, rest));
});
