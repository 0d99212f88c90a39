// Chooses the WebAssembly build that this engine runs fastest, and loads it. Four builds: with and
// without relaxed SIMD, with and without threads.

import { relaxedSimd, simd, threads as sharedMemory } from 'wasm-feature-detect';
import { errorOf } from './errors.js';
import { rules } from './open-options.js';
import { isPlain, show } from './values.js';

/** @typedef {import('./types.js').OpenOptions} OpenOptions */
/** @typedef {import('./types.js').Build} Build */
/** @typedef {import('./open-core.js').CoreModule} CoreModule */

const MAX_DEFAULT_THREADS = 8;
const START_LIMIT = 10_000; // milliseconds
const inNode = Boolean(/** @type {any} */ (globalThis).process?.versions?.node);

const cores = {
  'relaxed-threads': () => import('./core/relaxed-threads.mjs'),
  relaxed: () => import('./core/relaxed.mjs'),
  'simd-threads': () => import('./core/simd-threads.mjs'),
  simd: () => import('./core/simd.mjs')
};

/**
 * @param {OpenOptions} options
 * @returns {Promise<{core: CoreModule, build: Build, close: (core: CoreModule) => void}>} `close` ends the threads
 * @throws {RangeError} for an unknown option, a value out of range, or a build that cannot run here
 */
export async function load(options) {
  check(options);
  const can = { relaxed: await relaxedSimd(), simd: await simd(), isolated: await isolated() };
  const build = choose(options, can);
  const { default: create } = await cores[/** @type {keyof cores} */ (build.name)]();
  const module = moduleOptions(options, build);
  const core = /** @type {CoreModule} */ (await create(module).catch((error) => {
    module.PThread?.terminateAllThreads();  // waiting workers would keep a Node process alive
    const where = options.wasmUrl === undefined ? '' : ` from ${folderOf(options.wasmUrl)}`;
    const why = error.message.replace(/^Aborted\((?:Error: )?(.*)\)\. Build with -sASSERTIONS.*$/s, '$1');
    throw new Error(`${build.name}.wasm could not be loaded${where}: ${why}`, { cause: error });
  }));
  core.setThreadCount(build.threads);
  if (!inNode) await threadsStart(core, build.threads);
  return { core, build, close: endThreads };
}

/**
 * Not terminateAllThreads(): the caller's own thread waits for messages of others, which would keep the memory alive.
 * @param {CoreModule & { PThread?: { terminateRuntime: () => void } }} core
 */
function endThreads(core) {
  core.PThread?.terminateRuntime();
}

/**
 * A page starts threads only while it does nothing else, so it waits for them. Node starts them while the first layers
 * already run.
 * @param {CoreModule} core
 * @param {number} count
 */
async function threadsStart(core, count) {
  const latest = performance.now() + START_LIMIT;
  while (core.runningThreads() < count) {
    if (performance.now() > latest) throw new Error(`${count} threads did not start within ${START_LIMIT / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** @param {OpenOptions} options */
function check(options) {
  if (!isPlain(options)) throw new RangeError(`options must be a plain object, got ${show(options)}`);
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(rules, name)) {
      throw new RangeError(`open has no option ${show(name)}; its options are ${Object.keys(rules).join(', ')}`);
    }
    const rule = value !== undefined && rules[/** @type {keyof OpenOptions} */ (name)](value);
    if (rule) throw new RangeError(`${name} must be ${rule}, got ${show(value)}`);
  }
}

/** Threads need shared memory, which a page has only when it is cross-origin isolated. */
async function isolated() {
  if (globalThis.crossOriginIsolated === false) return false;
  return sharedMemory();
}

/**
 * @param {OpenOptions} options
 * @param {{relaxed: boolean, simd: boolean, isolated: boolean}} can
 * @returns {Build}
 */
function choose(options, can) {
  if (!can.simd) throw new RangeError('this engine has no WebAssembly SIMD, which attnscope needs');
  if (options.build === 'relaxed' && !can.relaxed) {
    throw new RangeError('build must be simd here, got "relaxed": this engine has no relaxed SIMD');
  }
  if (!can.isolated && (options.threads ?? 1) > 1) {
    throw new RangeError(`threads must be 1 here, got ${options.threads}: ${NOT_ISOLATED}`);
  }
  const available = Math.min(globalThis.navigator?.hardwareConcurrency ?? hostCores(), MAX_DEFAULT_THREADS);
  const threads = can.isolated ? (options.threads ?? available) : 1;
  const relaxed = options.build ? options.build === 'relaxed' : can.relaxed;
  return {
    name: (relaxed ? 'relaxed' : 'simd') + (threads > 1 ? '-threads' : ''),
    threads,
    isolated: can.isolated,
    reason: [!can.isolated && NOT_ISOLATED, !can.relaxed && NO_RELAXED].filter(Boolean).join('; ')
  };
}

const NOT_ISOLATED =
  'one thread, because the page is not cross-origin isolated: serve it with the headers ' +
  'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
const NO_RELAXED = 'plain SIMD, because this engine has no relaxed SIMD (Node has it from 24 on)';

/** Cores as Node counts them before `navigator` came to it (Node 21). */
function hostCores() {
  const { process } = /** @type {{process?: {getBuiltinModule?: (name: string) => any}}} */ (/** @type {unknown} */ (globalThis));
  const os = process?.getBuiltinModule?.('node:os');
  return os ? os.availableParallelism() : 1;
}

/**
 * @param {OpenOptions} options
 * @param {Build} build
 */
function moduleOptions(options, build) {
  /**
   * @type {{poolSize: number, errorOf: typeof errorOf, printErr: () => void, locateFile?: (path: string) => string,
   *   PThread?: {terminateAllThreads: () => void}}}
   */
  const module = { poolSize: build.threads - 1, errorOf, printErr() {} };  // errors are thrown, not printed
  const { wasmUrl } = options;
  if (wasmUrl !== undefined) module.locateFile = (path) => folderOf(wasmUrl) + path;
  return module;
}

/** @param {string | URL} wasmUrl */
function folderOf(wasmUrl) {
  return String(wasmUrl).replace(/\/?$/, '/');
}
