// The test suites: what each needs, the command that runs it, and how its counts are read.

import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, buildStages, installed } from './build.js';
import { attempt } from './commands.js';
import { doctestCounts, nodeCounts, pytestCounts } from './counts.js';
import { project } from './folders.js';
import { ensureCommands } from './packages.js';
import { nativeTests, sanitizedTests, wasmTests } from './stages.js';
import { compiler, formatter, node24, pytorch } from './toolchain.js';

/** @typedef {{ code: number | string, output: string }} Result */

/**
 * @typedef {{ files: string[], layers: string[] }} Asked of a suite: its files, or some of them; and the layers for
 * which alone it is run, if there are any
 *
 * @typedef {object} Suite
 * @property {string} name
 * @property {Need[]} needs
 * @property {boolean} [alone] keeps all cores busy by itself, or has a browser wait for it: nothing else runs beside it
 * @property {() => string[]} files what it runs
 * @property {boolean} [whole] it runs all of its files or nothing
 * @property {(asked: Asked) => Promise<Result>} [first] what it does beforehand, beside other suites
 * @property {(asked: Asked) => Promise<Result>} start
 * @property {boolean} [takesLayers] `npm test -- NAME LAYER...` runs what it has for these layers alone
 * @property {import('./counts.js').Parser} counts
 *
 * @typedef {() => Promise<unknown>} Need what must be done before; the same function is done once for all suites
 */

/** What suites need, in the order in which it is made. @satisfies {Record<string, Need>} */
export const needs = {
  modules: () => installed(),
  built: () => build(),
  sanitized: () => buildStages([sanitizedTests]),
  native: () => buildStages([nativeTests]),
  wasm: () => buildStages([wasmTests]),
  formatter: () => formatter(),
  node24: () => node24(),
  pytorch: () => pytorch(),
  chromium: () => ensureCommands(['chromium'])
};

/** What WebAssembly builds of the same core differ in: tests of these folders run in all of them. */
const kernelTests = 'tests/cpp/kernels';
const runTests = 'tests/cpp/run';

/** @type {Suite[]} In this order they start, as soon as what they need is there, and are listed at the end. */
export const suites = [
  cpp('cpp-sanitized', needs.sanitized, (only) => runCompiled('build/native-sanitize/attnscope_tests', only)),
  {
    name: 'torch',
    needs: [needs.built, needs.node24, needs.pytorch],
    alone: true,
    files: () => filesIn('tests/torch', /\.(py|js)$/),
    whole: true,
    first: writeCases,
    start: judgeCases,
    takesLayers: true,
    counts: pytestCounts
  },
  js('js', 'tests/js', { needs: [needs.built] }),
  js('js-24', 'tests/js', { needs: [needs.built, needs.node24], runner: runRelaxed, only: dependsOnEngine }),
  cpp('cpp', needs.native, (only) => runCompiled('build/native/attnscope_tests', only)),
  cpp('cpp-simd', needs.wasm, (only) => runNode([wasmProgram('simd'), ...only])), // all: its sizes have 32 bits
  cpp('cpp-scalar', needs.wasm, (only) => runNode([wasmProgram('scalar'), ...only]), [kernelTests]),
  cpp('cpp-relaxed', needs.wasm, (only) => runNode24([wasmProgram('relaxed'), ...only]), [kernelTests, runTests]),
  js('style', 'tests/style', { needs: [needs.modules, needs.formatter], whole: true }),
  js('types', 'tests/types', { needs: [needs.built] }),
  js('tools', 'tests/tools', { needs: [needs.built, needs.node24] }),
  js('package', 'tests/package', { needs: [needs.built] }),
  js('bundlers', 'tests/bundlers', { needs: [needs.built, needs.chromium] }),
  js('readme', 'tests/readme', { needs: [needs.built] }),
  js('page', 'tests/page', { needs: [needs.built, needs.chromium], alone: true, atOnce: 2 })
];

/**
 * A program of doctest.
 * @param {string} name
 * @param {Need} need
 * @param {(only: string[]) => Promise<Result>} run
 * @param {string[]} [folders] whose tests it runs
 * @returns {Suite}
 */
function cpp(name, need, run, folders = ['tests/cpp']) {
  const only = folders.includes('tests/cpp') ? [] : [`--source-file=${folders.map((one) => `*${one}/*`).join(',')}`];
  return {
    name,
    needs: name === 'cpp-relaxed' ? [need, needs.node24] : [need],
    files: () => folders.flatMap((folder) => filesIn(folder, /\.cpp$/)),
    whole: true,
    start: () => run(only),
    counts: doctestCounts
  };
}

/**
 * A suite of node:test files.
 * @param {string} name
 * @param {string} folder holds *.test.js, in folders too
 * @param {{ needs: Need[], alone?: boolean, whole?: boolean, atOnce?: number, runner?: typeof runNode,
 *   only?: (file: string) => boolean }} options `atOnce`: how many files run at once
 * @returns {Suite}
 */
function js(name, folder, { needs, alone, whole, atOnce = 1, runner = runNode, only = () => true }) {
  return {
    name,
    needs,
    alone,
    whole,
    files: () => filesIn(folder, /\.test\.js$/).filter(only),
    start: ({ files }) => runner([...testOptions, `--test-concurrency=${atOnce}`, ...files]),
    counts: nodeCounts
  };
}

/**
 * Whether what a file tests can be another with another engine: it asks for builds of the core, or for a worker. What
 * asks only for a scope, or for none, is arithmetic.
 * @param {string} file
 */
function dependsOnEngine(file) {
  const asks = /import \{[^}]*\b(variants|builds)\b[^}]*\} from '[./]+\/support\.js'|\b(openInWorker|openInside)\b/;
  return asks.test(readFileSync(join(project, file), 'utf8'));
}

const minute = 60_000;
/** What takes longer hangs: far more than a machine needs that is busy with something else. */
const suiteLimit = 60 * minute;
const fileLimit = 15 * minute;
const testOptions = ['--test', '--test-reporter=./tools/reporter.js', `--test-timeout=${fileLimit}`];

/** @param {string} folder @param {RegExp} pattern */
function filesIn(folder, pattern) {
  const names = existsSync(join(project, folder))
    ? readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    : [];
  const files = names
    .filter((name) => pattern.test(name) && !name.includes('node_modules'))
    .sort()
    .map((name) => join(folder, name));
  if (files.length === 0) throw new Error(`${folder} has no ${pattern}`);
  return files;
}

/** @param {string} build */
function wasmProgram(build) {
  return `build/wasm-tests/attnscope_tests_${build}.mjs`;
}

/** @param {string[]} args */
function runNode(args) {
  return attempt(process.execPath, args, { cwd: project, timeout: suiteLimit });
}

/** @param {string[]} args @param {Record<string, string>} [env] */
async function runNode24(args, env) {
  const tools = await node24();
  return runWith(tools, tools.node, args, env);
}

/** In Node 24, tests of the build that only it runs: that of plain SIMD has been tested. @param {string[]} args */
function runRelaxed(args) {
  return runNode24(args, { TEST_BUILDS: 'relaxed' });
}

/** @param {string} program relative to the checkout; runs where it was compiled @param {string[]} args */
async function runCompiled(program, args) {
  return runWith(await compiler(), join(project, program), args, { UBSAN_OPTIONS: 'print_stacktrace=1' });
}

/** @param {string[]} layers */
const casesFolder = (layers) => (layers.length === 0 ? 'build/torch-cases' : 'build/torch-layers');

/**
 * transformers saves small models; the module writes its answers for them and for many configs, of every build.
 * @param {Asked} asked only the configs of its layers; of all layers, and all else, where there are none
 */
async function writeCases({ layers }) {
  const cases = casesFolder(layers);
  if (layers.length === 0) {
    const saved = await runWith(await pytorch(), 'python3', ['tests/torch/make_checkpoints.py', cases]);
    if (saved.code !== 0) return saved;
  }
  mkdirSync(join(project, cases), { recursive: true });
  return runNode24(['tests/torch/write_cases.js', cases, ...layers]);
}

/** PyTorch judges them, in two processes at once. @param {Asked} asked */
async function judgeCases({ layers }) {
  const tools = await pytorch();
  const judge = (/** @type {string} */ part) =>
    runWith(tools, 'python3', ['-m', 'pytest', '-q', 'tests/torch', '--cases', casesFolder(layers), '--part', part]);
  const parts = await Promise.all(['1/2', '2/2'].map(judge));
  const broken = parts.find(({ output }) => pytestCounts(output) === null);
  return (
    broken ?? {
      code: Math.max(...parts.map(({ code }) => Number(code))),
      output: parts.map(({ output }) => output).join('')
    }
  );
}

/**
 * @param {import('./toolchain.js').Tools} tools
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
function runWith(tools, command, args, env) {
  const [program, words, options] = tools.line(command, args, { env });
  return attempt(program, words, { ...options, timeout: suiteLimit });
}
