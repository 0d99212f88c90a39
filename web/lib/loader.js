// Chooses the WebAssembly build that this engine runs fastest, and loads it. Four builds: with and
// without relaxed SIMD, with and without threads. A fifth, `reference`, loads only when asked for.

import { relaxedSimd, simd, threads as sharedMemory } from 'wasm-feature-detect';
import createThreads from './core/core-threads.mjs';
import createAlone from './core/core.mjs';
import { buildName } from './build-name.js';
import { errorOf } from './errors.js';
import { openThread } from './files.js';
import { builtin, startWorker, withTextDecoder } from './host.js';
import { rules } from './open-options.js';
import { checkOptions, refusal } from './options.js';
import { compile } from './wasm.js';

/** @typedef {import('./types.js').OpenOptions} OpenOptions */
/** @typedef {import('./types.js').Build} Build */
/** @typedef {import('./open-core.js').CoreModule} CoreModule */
/** @typedef {{core: CoreModule, build: Build, close: (core: CoreModule) => void}} Loaded `close` ends the threads */

const MAX_DEFAULT_THREADS = 8;
const START_LIMIT = 10_000; // milliseconds
const inNode = builtin('node:worker_threads') !== undefined;

/**
 * @param {OpenOptions} given
 * @returns {Promise<Loaded>}
 * @throws {RangeError} for an unknown option, a value out of range, or a build that cannot run here
 */
export async function load(given) {
  const options = checkOptions('open', rules, given);
  const can = { relaxed: await relaxedSimd(), simd: await simd(), isolated: await isolated() };
  const build = choose(options, can);
  const alone = build.name.replace('-threads', '');
  if (build.name === alone) return loadAlone(build, options);
  return loadThreads(build, options).catch((error) => {
    // A RangeError: a small device has no addresses left for memory that threads share.
    if (!(error instanceof NoThreads || error instanceof RangeError)) throw error;
    const reason = `one thread, because no others could be started: ${error.message}`;
    return loadAlone({ ...build, name: alone, threads: 1, reason: joined(reason, build.reason) }, options);
  });
}

/** What keeps threads from starting; one runs then. */
class NoThreads extends Error {}

/**
 * @param {Build} build
 * @param {OpenOptions} options
 * @returns {Promise<Loaded>}
 */
async function loadAlone(build, { wasmUrl }) {
  return { core: await instantiate(createAlone, await compile(build.name, wasmUrl), {}), build, close() {} };
}

/**
 * Starts the workers while the .wasm loads. A page waits for them: it starts threads only while it does nothing else.
 * Node, where a worker takes longer than all else, goes on without them, and starts them while the first layers already
 * run.
 * @param {Build} build
 * @param {OpenOptions} options
 * @returns {Promise<Loaded>}
 * @throws {NoThreads} when one cannot be started
 */
async function loadThreads(build, { wasmUrl }) {
  const started = Array.from({ length: build.threads - 1 }, () => startWorker(openThread));
  const ready = Promise.all(started.map(({ ready }) => ready)).catch((error) => {
    throw new NoThreads(error.message, { cause: error });
  });
  const core = (async () => {
    const module = await firstError(compile(build.name, wasmUrl), ready);
    if (!inNode) await ready;
    const workers = started.map(({ worker }) => worker);
    const made = await instantiate(createThreads, module, { workers });
    for (const { worker } of started) guard(worker);
    made.setThreadCount(build.threads);
    if (!inNode) await threadsStart(made, build.threads);
    return made;
  })();
  try {
    return { core: await firstError(core, ready), build, close: endThreads };
  } catch (error) {
    for (const { end } of started) end();
    throw error;
  }
}

/**
 * What `work` gives, unless `other` fails before.
 * @template T
 * @param {Promise<T>} work
 * @param {Promise<unknown>} other
 * @returns {Promise<T>}
 */
const firstError = (work, other) => Promise.race([work, other.then(() => work)]);

/** An idle thread keeps no process alive, and one that breaks down does not do so in silence. @param {any} worker */
function guard(worker) {
  worker.unref?.();
  worker.onerror = (/** @type {ErrorEvent} */ { message }) => {
    throw new Error(`a thread of attnscope broke down: ${message}`);
  };
}

/**
 * Not terminateAllThreads(): the caller's own thread waits for messages of others, which would keep the memory alive.
 * @param {CoreModule & { PThread?: { terminateRuntime: () => void } }} core
 */
function endThreads(core) {
  core.PThread?.terminateRuntime();
}

/**
 * @param {typeof createAlone} create
 * @param {WebAssembly.Module} module
 * @param {{workers?: (Worker | undefined)[]}} more what the core finds in its `Module`
 * @returns {Promise<CoreModule>}
 */
function instantiate(create, module, more) {
  return new Promise((resolve, reject) => {
    const instantiateWasm = (
      /** @type {WebAssembly.Imports} */ imports,
      /** @type {(...made: any[]) => void} */ receive
    ) => {
      WebAssembly.instantiate(module, imports)
        .then((instance) => receive(instance, module))
        .catch(reject);
    };
    const printErr = () => {}; // errors are thrown, not printed
    withTextDecoder(() => create({ ...more, errorOf, instantiateWasm, printErr })).then(
      (core) => resolve(/** @type {CoreModule} */ (core)),
      reject
    );
  });
}

/**
 * @param {CoreModule} core
 * @param {number} count
 */
async function threadsStart(core, count) {
  const latest = performance.now() + START_LIMIT;
  while (core.runningThreads() < count) {
    if (performance.now() > latest) throw new NoThreads(`they were not ready within ${START_LIMIT / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 1));
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
    throw refusal('build', 'build must be simd here, got "relaxed": this engine has no relaxed SIMD');
  }
  if (!can.isolated && (options.threads ?? 1) > 1) {
    throw refusal('threads', `threads must be 1 here, got ${options.threads}: ${NOT_ISOLATED}`);
  }
  if (options.build === 'reference') return chooseReference(options, can.isolated);
  const available = Math.min(globalThis.navigator?.hardwareConcurrency ?? hostCores(), MAX_DEFAULT_THREADS);
  const threads = can.isolated ? (options.threads ?? available) : 1;
  const relaxed = options.build ? options.build === 'relaxed' : can.relaxed;
  return {
    name: buildName(relaxed, threads > 1 || (can.isolated && options.sharedMemory === true)),
    threads,
    isolated: can.isolated,
    reason: joined(can.isolated ? '' : NOT_ISOLATED, can.relaxed ? '' : NO_RELAXED)
  };
}

/**
 * The build with the reference loops, which has one thread.
 * @param {OpenOptions} options
 * @param {boolean} isolated
 * @returns {Build}
 */
function chooseReference({ threads = 1, sharedMemory }, isolated) {
  if (threads > 1 || sharedMemory) throw refusal('build', 'build "reference" has one thread and no sharedMemory');
  return { name: 'reference', threads, isolated, reason: '' };
}

/** @param {string[]} reasons '' for none */
function joined(...reasons) {
  return reasons.filter(Boolean).join('; ');
}

const NOT_ISOLATED =
  'one thread, because the page is not cross-origin isolated: serve it with the headers ' +
  'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';
const NO_RELAXED = 'plain SIMD, because this engine has no relaxed SIMD (Node has it from 22 on)';

/** Cores as Node counts them before `navigator` came to it (Node 21). */
function hostCores() {
  return builtin('node:os')?.availableParallelism() ?? 1;
}
