// ccache keeps what was compiled, for all checkouts of this user: what it has seen before it does not compile again.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './folders.js';

/** The folder on this machine; made where missing. */
export function compileCacheFolder() {
  const folder = join(cacheFolder(), 'ccache');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Variables by which CMake compiles by way of ccache.
 * @param {string} folder as the compiler sees it
 * @param {string} identity a file that is another one when the compiler is: em++ only starts a compiler, so ccache,
 *   which looks at em++ alone, would take what an older one has compiled
 * @returns {Record<string, string>}
 */
export function compileCacheVariables(folder, identity) {
  return {
    CMAKE_CXX_COMPILER_LAUNCHER: 'ccache',
    CCACHE_DIR: folder,
    CCACHE_MAXSIZE: '2Gi',
    CCACHE_COMPILERTYPE: 'clang', // em++ takes the same options
    CCACHE_EXTRAFILES_TO_HASH: identity,
    // Each file is read by the compiler alone: the preprocessor before it would make em++ a third slower.
    CCACHE_DEPEND: 'true',
    // Precompiled headers ask for the first two. The others: a clone's files are all new, and known by content.
    CCACHE_SLOPPINESS: 'pch_defines,time_macros,include_file_mtime,include_file_ctime'
  };
}
