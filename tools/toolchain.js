// The compiler, a Node that runs the newest WebAssembly, and the PyTorch that judges: found on this machine, or
// installed into a root of its own (roots.js).

import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt, find, run } from './commands.js';
import { compileCacheFolder, compileCacheVariables } from './compile-cache.js';
import { cacheFolder, project } from './folders.js';
import { describe, findLibraries, findPrograms, headerFolders, linkLibraries } from './installed.js';
import { ensureCommands } from './packages.js';
import {
  compilerRecipe,
  pytorchRecipe,
  rootEmscriptenCache,
  rootHeaders,
  rootPackages,
  tidyRecipe
} from './recipes.js';
import { enterer, ensureRoot, isReady, recipeHash } from './roots.js';
import { atLeast, parseVersion } from './versions.js';

/**
 * @typedef {object} ToolOptions
 * @property {string} [cwd] default: the checkout; in the compiler root, as `/src`
 * @property {Record<string, string>} [env]
 *
 * @typedef {object} Tools
 * @property {'installed' | 'root'} kind found on the machine, or in a root that was made for this
 * @property {(command: string, args: string[], options?: ToolOptions) => [string, string[],
 *   import('./commands.js').RunOptions]} line
 * what to give to `run` to run a command with these tools
 * @property {(command: string, args: string[], options?: ToolOptions) => Promise<string>} run runs it; gives its output
 *
 * @typedef {Tools & { headers: string }} Compiler headers: the header libraries' folder, as the compiler sees it
 */

/**
 * Inside the compiler root: the checkout, whichever it is, and what ccache keeps. A precompiled header holds the path
 * of what it is made of, so checkouts share it only if the compiler sees all of them at one path. The checkout has its
 * own path in there as well.
 */
const rootCheckout = '/src';
const rootCompileCache = '/var/cache/ccache';

/**
 * Changes when another compiler is used than before, or sees the checkout elsewhere, or compiles by way of ccache and
 * did not before: what CMake remembers is then of no use. Cheap: starts nothing.
 * @returns {string}
 */
export function compilerId() {
  const emcc = find('emcc');
  const id = emcc ? `${realpathSync(emcc)} ${statSync(emcc).mtimeMs} ${find('ccache')}` : recipeHash(compilerRecipe);
  return `${id} ${rootCheckout}`;
}

/**
 * The compiler. Commands see ATTNSCOPE_HEADERS (the header libraries) and ATTNSCOPE_EMSCRIPTEN (Emscripten's own
 * folder).
 * @returns {Promise<Compiler>}
 */
export async function compiler() {
  return (await installedCompiler()) ?? (await rootCompiler());
}

/** @returns {Promise<Compiler | null>} */
async function installedCompiler() {
  if (!find('emcc')) return null;
  const libraries = findLibraries(headerFolders());
  const findings = [...(await findPrograms()), ...libraries];
  if (!findings.every(({ ok }) => ok)) return null;
  const headers = join(cacheFolder(), 'include');
  linkLibraries(libraries, headers);
  const emscripten =
    (await attempt('em-config', ['EMSCRIPTEN_ROOT'])).output.trim() ||
    dirname(realpathSync(/** @type {string} */ (find('emcc'))));
  const variables = { ATTNSCOPE_HEADERS: headers, ATTNSCOPE_EMSCRIPTEN: emscripten, ...(await installedCache()) };
  return { ...onMachine(variables), headers };
}

/** Without a fixed path, checkouts share all but precompiled headers and what includes one. */
async function installedCache() {
  if (!find('ccache')) return {};
  const llvm = (await attempt('em-config', ['LLVM_ROOT'])).output.trim();
  return { ...compileCacheVariables(compileCacheFolder(), join(llvm, 'clang')), CCACHE_BASEDIR: project };
}

/** @returns {Promise<Compiler>} */
async function rootCompiler() {
  const variables = {
    ATTNSCOPE_HEADERS: rootHeaders,
    ATTNSCOPE_EMSCRIPTEN: '/usr/share/emscripten',
    EM_CACHE: rootEmscriptenCache,
    ...compileCacheVariables(rootCompileCache, rootPackages)
  };
  const mounts = { [rootCheckout]: project, [rootCompileCache]: compileCacheFolder() };
  const tools = await inRoot(compilerRecipe, compilerAdvice, variables, { checkout: rootCheckout, mounts });
  return { ...tools, headers: rootHeaders };
}

async function compilerAdvice() {
  const findings = [...(await findPrograms()), ...findLibraries(headerFolders())];
  return `\
mmdebstrap and bubblewrap make and use a private Debian folder with the compiler; this machine's own packages stay as they
are. Instead of that you can install what compiles: Emscripten (emsdk), CMake and Ninja, on PATH, and the headers of
xtensor, xsimd, xtl and doctest in one folder that ATTNSCOPE_HEADERS names. On this machine:
${describe(findings)}`;
}

/** Another version of clang-format lays code out in another way, and another clang-tidy finds other things. */
export const clangFormat = 'clang-format-21';
export const clangTidy = 'clang-tidy-21';

/**
 * The compiler's tools if clang-format is among them.
 * @returns {Promise<Tools | null>} null where the compiler is installed on the machine, and this clang-format is not
 */
export async function formatter() {
  const tools = await compiler();
  return tools.kind === 'root' || find(clangFormat) ? tools : null;
}

/**
 * clang-tidy, and what it needs to read the core: cmake and the header libraries.
 * @returns {Promise<Tools>}
 */
export async function tidier() {
  const installed = find(clangTidy) && (await installedCompiler());
  return installed || inRoot(tidyRecipe, tidyAdvice, { ATTNSCOPE_HEADERS: rootHeaders });
}

async function tidyAdvice() {
  return `Instead of a private Debian folder you can install ${clangTidy} beside the compiler.\n${await compilerAdvice()}`;
}

/**
 * PyTorch: commands such as `python3` see torch, transformers, safetensors, numpy and pytest.
 * @returns {Promise<Tools>}
 */
export async function pytorch() {
  if (await hasPyTorch()) return onMachine(pythonVariables);
  return inRoot(pytorchRecipe, pytorchAdvice, pythonVariables);
}

const pythonPackages = ['torch', 'transformers', 'safetensors', 'numpy', 'pytest'];
const pythonVariables = { PYTHONDONTWRITEBYTECODE: '1' };

async function pytorchAdvice() {
  return `\
mmdebstrap and bubblewrap make and use a private Debian folder with PyTorch; this machine's own packages stay as they are.
Instead of that you can install Python packages: ${pythonPackages.join(', ')}, with torch 2.14 or newer.`;
}

async function hasPyTorch() {
  if (!find('python3')) return false;
  const script = `from importlib.metadata import version\nprint([version(name) for name in ${JSON.stringify(pythonPackages)}][0])`;
  const { code, output } = await attempt('python3', ['-c', script]);
  return code === 0 && atLeast(parseVersion(output) ?? [0], [2, 14]);
}

/**
 * A Node of version 24 or newer, which runs relaxed SIMD.
 * @returns {Promise<Tools & { node: string }>} node: what to start
 */
export async function node24() {
  if (atLeast(parseVersion(process.version) ?? [0], [24])) return { ...onMachine({}), node: process.execPath };
  const tools = await inRoot(compilerRecipe, compilerAdvice, {});
  return { ...tools, node: 'node' };
}

/**
 * @param {Record<string, string>} variables
 * @returns {Tools}
 */
function onMachine(variables) {
  return withRun('installed', (command, args, { cwd = project, env } = {}) => [
    command,
    args,
    { cwd, env: { ...variables, ...env } }
  ]);
}

/**
 * @param {import('./roots.js').Recipe} recipe
 * @param {() => Promise<string>} advice what to do where no root can be made
 * @param {Record<string, string>} variables
 * @param {{ checkout?: string, mounts?: Record<string, string> }} [places] where commands run unless told otherwise;
 *   what they see besides the checkout under its own path
 * @returns {Promise<Tools>}
 */
async function inRoot(recipe, advice, variables, { checkout = project, mounts } = {}) {
  const enter = enterer(await rootOf(recipe, advice));
  return withRun('root', (command, args, { cwd = checkout, env } = {}) => [
    ...enter(command, args, { cwd, env: { ...variables, ...env }, mounts: { [project]: project, ...mounts } }),
    { label: command }
  ]);
}

/** @type {Map<string, Promise<string>>} */
const roots = new Map();

/**
 * The folder of a recipe's root, made where it is missing; asked for several times at once, it is made once.
 * @param {import('./roots.js').Recipe} recipe
 * @param {() => Promise<string>} advice
 */
function rootOf(recipe, advice) {
  const root = roots.get(recipe.name) ?? makeRoot(recipe, advice);
  roots.set(recipe.name, root);
  return root;
}

/** @returns {import('./packages.js').Command[]} what makes a root and enters it */
function makers() {
  return process.getuid?.() === 0 ? ['mmdebstrap', 'bwrap'] : ['mmdebstrap', 'newuidmap', 'bwrap'];
}

/**
 * @param {import('./roots.js').Recipe} recipe
 * @param {() => Promise<string>} advice
 */
async function makeRoot(recipe, advice) {
  await ensureCommands(isReady(recipe) ? ['bwrap'] : makers(), advice);
  return ensureRoot(recipe).catch(async (error) => {
    throw new Error(`${recipe.name} root: it could not be made\n${error.message}\n${await advice()}`);
  });
}

/**
 * @param {Tools['kind']} kind
 * @param {Tools['line']} line
 * @returns {Tools}
 */
function withRun(kind, line) {
  return { kind, line, run: (command, args, options) => run(...line(command, args, options)) };
}
