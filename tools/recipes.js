// What the two roots (roots.js) are made of. Debian forky has all of these packages, each new enough.

import { run } from './commands.js';
import { libraryNames } from './installed.js';

/** Inside the compiler root: the header libraries' own folder, and Emscripten's built libraries. */
export const rootHeaders = '/opt/attnscope/include';
export const rootEmscriptenCache = '/var/cache/emscripten';

/** @type {import('./roots.js').Recipe} */
export const compilerRecipe = {
  name: 'compiler',
  suite: 'forky',
  packages: [
    'emscripten', 'cmake', 'ninja-build', 'libxtensor-dev', 'libxsimd-dev', 'doctest-dev', 'nlohmann-json3-dev',
    'clang', 'libclang-rt-21-dev', 'clang-format'
  ],
  version: 1,
  about: 'about two minutes',
  finish: finishCompiler
};

/** @type {import('./roots.js').Recipe} */
export const pytorchRecipe = {
  name: 'pytorch',
  suite: 'forky',
  packages: ['python3-torch', 'python3-transformers', 'python3-safetensors', 'python3-pytest', 'python3-numpy'],
  version: 1,
  about: 'about a minute'
};

/**
 * Links the header libraries into their own folder, and has Emscripten build its C and C++ libraries, which it does on
 * first use: once without threads, once with.
 * @param {import('./roots.js').Enter} enter
 */
async function finishCompiler(enter) {
  const inside = (/** @type {string} */ script) => run(...enter('sh', ['-e', '-c', script], { env: { EM_CACHE: rootEmscriptenCache } }));
  await inside(`mkdir -p ${rootHeaders}; for name in ${libraryNames.join(' ')}; do ln -s /usr/include/$name ${rootHeaders}/$name; done`);
  const compile = 'em++ -O3 -std=c++20 -fwasm-exceptions -lembind -sMODULARIZE -sEXPORT_ES6 /tmp/warm.cpp -o /tmp/warm.mjs';
  await inside(`echo '${warmSource}' > /tmp/warm.cpp; ${compile}; ${compile} -pthread`);
}

const warmSource = `
  #include <emscripten/bind.h>
  EMSCRIPTEN_BINDINGS(warm) { emscripten::function("f", +[](double x) { return x; }); }
`;
