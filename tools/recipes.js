// What the roots (roots.js) are made of. Debian forky has all of these packages, each new enough.

import { run } from './commands.js';
import { libraryNames } from './installed.js';

/** Inside the compiler root: the header libraries' own folder, and Emscripten's built libraries. */
export const rootHeaders = '/opt/attnscope/include';
export const rootEmscriptenCache = '/var/cache/emscripten';

/** Inside any root of Debian: the versions of all that is installed. */
export const rootPackages = '/var/lib/dpkg/status';

const headerPackages = ['libxtensor-dev', 'libxsimd-dev', 'doctest-dev', 'nlohmann-json3-dev'];

/** @type {import('./roots.js').Recipe} */
export const compilerRecipe = {
  name: 'compiler',
  suite: 'forky',
  packages: ['emscripten', 'cmake', 'ninja-build', ...headerPackages, 'clang', 'libclang-rt-21-dev', 'clang-format'],
  version: 1,
  about: 'about two minutes',
  finish: finishCompiler
};

/** A root of its own: only `npm run tidy` needs it. @type {import('./roots.js').Recipe} */
export const tidyRecipe = {
  name: 'tidy',
  suite: 'forky',
  packages: ['cmake', 'ninja-build', ...headerPackages, 'clang', 'clang-tidy-21'],
  version: 1,
  about: 'about a minute',
  finish: linkHeaders
};

/** @type {import('./roots.js').Recipe} */
export const pytorchRecipe = {
  name: 'pytorch',
  suite: 'forky',
  packages: [
    'python3-torch',
    'libopenblas0-pthread',
    'python3-transformers',
    'python3-safetensors',
    'python3-pytest',
    'python3-numpy'
  ],
  version: 1,
  about: 'about a minute'
};

/** @param {import('./roots.js').Enter} enter */
async function linkHeaders(enter) {
  const links = libraryNames.map((name) => `ln -s /usr/include/${name} ${rootHeaders}/${name}`);
  await run(...enter('sh', ['-e', '-c', [`mkdir -p ${rootHeaders}`, ...links].join('; ')]));
}

/**
 * Links the header libraries into their own folder, and has Emscripten build its C and C++ libraries, which it does on
 * first use: once without threads, once with.
 * @param {import('./roots.js').Enter} enter
 */
async function finishCompiler(enter) {
  await linkHeaders(enter);
  const compile =
    'em++ -O3 -std=c++20 -fwasm-exceptions -lembind -sMODULARIZE -sEXPORT_ES6 /tmp/warm.cpp -o /tmp/warm.mjs';
  const script = `echo '${warmSource}' > /tmp/warm.cpp; ${compile}; ${compile} -pthread`;
  await run(...enter('sh', ['-e', '-c', script], { env: { EM_CACHE: rootEmscriptenCache } }));
}

const warmSource = `
  #include <emscripten/bind.h>
  EMSCRIPTEN_BINDINGS(warm) { emscripten::function("f", +[](double x) { return x; }); }
`;
