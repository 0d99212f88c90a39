// npm run tidy: clang-tidy, with the checks of .clang-tidy, over the core and its tests: many minutes, so no suite of
// `npm test`. `npm run tidy -- cpp/run/model.cpp` reads that file alone, with the headers that it includes. Bindings,
// which include Emscripten's headers, are not read.

import { availableParallelism } from 'node:os';
import { main } from './build.js';
import { attempt } from './commands.js';
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
  const { code, output } = await attempt(...line);
  const findings = output.split('\n').filter((text) => !/^(\d+ warnings generated|\[ *\d+\/\d+\])/.test(text));
  console.log(findings.filter(Boolean).join('\n'));
  if (code !== 0) process.exitCode = 1;
});
