// The test suites: what each needs, the command that runs it, how its counts are read, and which of its files belong to
// `npm test`, which decides whether a change may land. `npm run test:all` runs them all, at full depth.

import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, buildStages, installed } from './build.js';
import { attempt } from './commands.js';
import { doctestCounts, nodeCounts, pytestCounts } from './counts.js';
import { project } from './folders.js';
import { ensureCommands } from './packages.js';
import { nativeTests, sanitizedTests, wasmTests } from './stages.js';
import { compiler, formatter, node24, pytorch } from './toolchain.js';
import { COUNTS } from '../tests/torch/counts.js';
import { tryAgain } from './unsteady.js';

/**
 * @typedef {object} Result
 * @property {number | string} code
 * @property {string} output
 * @property {number} [processor] seconds
 * @property {import('./counts.js').Failure[]} [unsteady] tests that failed beside others and passed alone
 *
 * @typedef {'gate' | 'all'} Depth gate: the part that `npm test` runs
 *
 * @typedef {object} Asked
 * @property {Depth} depth
 * @property {string[]} files of the suite
 * @property {string[]} layers for which alone it is run, if there are any
 * @property {string} [name] of the test that alone is run
 * @property {number} [seed] of random cases; undefined: the seeds that the tests name
 *
 * @typedef {object} Suite
 * @property {string} name
 * @property {Need[]} needs
 * @property {boolean} [alone] keeps all cores busy by itself, or has a browser wait for it: nothing else runs beside it
 * @property {() => string[]} files what it runs
 * @property {(file: string) => boolean} gate whether `npm test` runs a file of it
 * @property {number} [budget] processor seconds that `npm test` may take for it
 * @property {number} [most] tests that `npm test` may run of it
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

const minute = 60_000;
/** What takes longer hangs: far more than a machine needs that is busy with something else. */
const suiteLimit = 60 * minute;
const fileLimit = 15 * minute;
/** Files of page tests are short, and each wait in them ends after 30 s. */
const pageLimit = 3 * minute;

/** What WebAssembly builds of the same core differ in: tests of these folders run in all of them. */
const kernelTests = 'tests/cpp/kernels';
const runTests = 'tests/cpp/run';

/** Processor seconds of a whole `npm test` in a clean clone with warm caches, and when that was measured. */
export const budget = { seconds: 960, measured: '2026-11-27, two cores' };

/**
 * Files of a folder, by their names without `.test.js`.
 * @param {string} folder
 * @param {string} names with a space between
 */
const filesOf = (folder, names) => names.split(/\s+/).map((name) => `${folder}/${name}.test.js`);

/** The files that `npm test` runs of suites that it does not run whole. */
export const gateFiles = [
  ...filesOf(
    'tests/js',
    `attention_or_dense_data attention_or_dense_questions attention_or_dense_settings attention_or_dense_verdict
    bad_config bad_input bad_step bound change decode edges estimate explain forward fuzz guide-runs huggingface
    invariants labs mask_text masks minute open other_weights outputs own_numbers padding patterns pin progress
    python_imports randn recurrent registry resident rounding sequence_classifier soak state step storage
    tables_columns tables_reading tables_words tensors tensors_between trainer training_ask training_history
    training_kept training_labels training_table training_tasks verdict view/core-calls view/fields view/map-layout
    view/pixels worker`
  ),
  ...filesOf('tests/page', 'opens journeys doors first-figure service-worker hosting static'),
  ...filesOf('tests/types', 'types hovers'),
  ...filesOf(
    'tests/tools',
    `ask changed commands counts glue installed lock packages reporter results roots scripts stage toolchain unsteady
    versions`
  )
];

const every = () => true;
const none = () => false;
const named = (/** @type {string} */ file) => gateFiles.includes(file);

/**
 * A suite that `npm test` runs too.
 * @param {Suite} suite
 * @param {number} budget
 * @param {Suite['gate']} [gate]
 * @returns {Suite}
 */
const inGate = (suite, budget, gate = every) => ({ ...suite, budget, gate });

/** @type {Suite} */
const torch = {
  name: 'torch',
  needs: [needs.built, needs.node24, needs.pytorch],
  alone: true,
  files: () => filesIn('tests/torch', /\.(py|js)$/),
  whole: true,
  gate: none,
  first: writeCases,
  start: judgeCases,
  takesLayers: true,
  counts: pytestCounts
};

/** @type {Suite} */
const page = {
  ...js('page', 'tests/page', { needs: [needs.built, needs.chromium], atOnce: 2, again: true, limit: pageLimit }),
  alone: true,
  most: 80
};

/** @type {Suite[]} In this order they start, as soon as what they need is there, and are listed at the end. */
export const suites = [
  cpp('cpp-sanitized', needs.sanitized, (only) => runCompiled('build/native-sanitize/attnscope_tests', only)),
  inGate(torch, 240),
  inGate(js('js', 'tests/js', { needs: [needs.built] }), 220, named),
  js('js-24', 'tests/js', { needs: [needs.built, needs.node24], runner: runRelaxed, only: dependsOnEngine }),
  inGate(
    cpp('cpp', needs.native, (only) => runCompiled('build/native/attnscope_tests', only)),
    130
  ),
  cpp('cpp-simd', needs.wasm, (only) => runNode([wasmProgram('simd'), ...only])), // all: its sizes have 32 bits
  cpp('cpp-scalar', needs.wasm, (only) => runNode([wasmProgram('scalar'), ...only]), [kernelTests]),
  cpp('cpp-relaxed', needs.wasm, (only) => runNode24([wasmProgram('relaxed'), ...only]), [kernelTests, runTests]),
  inGate({ ...js('style', 'tests/style', { needs: [needs.modules, needs.formatter] }), whole: true }, 40),
  inGate(js('types', 'tests/types', { needs: [needs.built] }), 90, named),
  inGate(js('tools', 'tests/tools', { needs: [needs.built, needs.node24] }), 20, named),
  inGate(js('package', 'tests/package', { needs: [needs.built] }), 20),
  js('bundlers', 'tests/bundlers', { needs: [needs.built, needs.chromium] }),
  inGate(js('readme', 'tests/readme', { needs: [needs.built] }), 20),
  inGate(page, 100, named)
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
  const whole = folders.includes('tests/cpp');
  return {
    name,
    needs: name === 'cpp-relaxed' ? [need, needs.node24] : [need],
    files: () => folders.flatMap((folder) => filesIn(folder, /\.cpp$/)),
    whole: true,
    gate: none,
    start({ name }) {
      const filters = [
        ...(whole ? [] : [`--source-file=${folders.map((folder) => `*${folder}/*`).join(',')}`]),
        ...(name === undefined ? [] : [`--test-case=${name.replaceAll(',', '\\,')}`])
      ];
      return run(filters);
    },
    counts: doctestCounts
  };
}

/**
 * A suite of node:test files.
 * @param {string} name
 * @param {string} folder holds *.test.js, in folders too
 * @param {{ needs: Need[], atOnce?: number, runner?: typeof runNode, again?: boolean, limit?: number,
 *   only?: (file: string) => boolean }} options `atOnce`: how many files run at once; `again`: whether a test that
 *   fails is tried once more, alone; `limit`: milliseconds after which a file is ended
 * @returns {Suite}
 */
function js(name, folder, { needs, atOnce = 1, runner = runNode, again, limit = fileLimit, only = every }) {
  const run = (/** @type {Asked} */ { files, name, seed }, concurrency = atOnce) => {
    const pattern = name === undefined ? [] : [`--test-name-pattern=${literally(name)}`];
    const limits = [`--test-timeout=${limit}`, `--test-concurrency=${concurrency}`];
    const args = ['--test', '--test-reporter=./tools/reporter.js', ...limits, ...pattern, ...files];
    return runner(args, seed === undefined ? {} : { TEST_SEED: String(seed) });
  };
  return {
    name,
    needs,
    gate: none,
    files: () => filesIn(folder, /\.test\.js$/).filter(only),
    async start(asked) {
      const result = await run(asked);
      if (!again) return result;
      return tryAgain(result, ({ file, name }) => {
        const files = asked.files.filter((other) => other === file);
        // Of a test that another module has made, the reporter knows that module, and not the test file.
        const where = files.length > 0 ? files : asked.files;
        return run({ ...asked, files: where, name: name === file ? undefined : name }, 1);
      });
    },
    counts: nodeCounts
  };
}

/** A regular expression that finds the text. @param {string} text */
const literally = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/**
 * Whether what a file tests can be another with another engine: it asks for builds of the core, or for a worker. What
 * asks only for a scope, or for none, is arithmetic.
 * @param {string} file
 */
function dependsOnEngine(file) {
  const asks = /import \{[^}]*\b(variants|builds)\b[^}]*\} from '[./]+\/support\.js'|\b(openInWorker|openInside)\b/;
  return asks.test(readFileSync(join(project, file), 'utf8'));
}

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

/** @param {string[]} args @param {Record<string, string>} [env] */
function runNode(args, env) {
  return attempt(process.execPath, args, { cwd: project, env, timeout: suiteLimit });
}

/** @param {string[]} args @param {Record<string, string>} [env] */
async function runNode24(args, env) {
  const tools = await node24();
  return runWith(tools, tools.node, args, env);
}

/**
 * In Node 24, tests of the build that only it runs: that of plain SIMD has been tested.
 * @param {string[]} args @param {Record<string, string>} [env]
 */
function runRelaxed(args, env) {
  return runNode24(args, { ...env, TEST_BUILDS: 'relaxed' });
}

/** @param {string} program relative to the checkout; runs where it was compiled @param {string[]} args */
async function runCompiled(program, args) {
  return runWith(await compiler(), join(project, program), args, { UBSAN_OPTIONS: 'print_stacktrace=1' });
}

/** @param {Asked} asked */
const casesFolder = ({ depth, layers }) => `build/torch-${layers.length > 0 ? 'layers' : depth}`;

/**
 * transformers saves small models; the module writes its answers for them and for many configs, of every build.
 * @param {Asked} asked only the configs of its layers; of all layers, and all else, where there are none
 * @returns {Promise<Result>}
 */
async function writeCases(asked) {
  const { depth, layers, seed } = asked;
  const cases = casesFolder(asked);
  const saved =
    layers.length === 0
      ? await runWith(await pytorch(), 'python3', [
          'tests/torch/make_checkpoints.py',
          cases,
          String(COUNTS[depth].checkpoints)
        ])
      : { code: 0, output: '', processor: 0 };
  if (saved.code !== 0) return saved;
  mkdirSync(join(project, cases), { recursive: true });
  const options = [...(depth === 'gate' ? ['--gate'] : []), ...(seed === undefined ? [] : ['--seed', String(seed)])];
  const written = await runNode24(['tests/torch/write_cases.js', ...options, cases, ...layers]);
  return { ...written, processor: saved.processor + written.processor };
}

/** PyTorch judges them, in two processes at once. @param {Asked} asked @returns {Promise<Result>} */
async function judgeCases(asked) {
  const tools = await pytorch();
  const name = asked.name === undefined ? [] : ['--name', asked.name];
  const judge = (/** @type {string} */ part) => {
    const args = ['-m', 'pytest', '-q', 'tests/torch', '--cases', casesFolder(asked), '--part', part, ...name];
    return runWith(tools, 'python3', args);
  };
  const parts = await Promise.all(['1/2', '2/2'].map(judge));
  const processor = parts.reduce((sum, part) => sum + part.processor, 0);
  const broken = parts.find(({ output }) => pytestCounts(output) === null);
  if (broken) return { ...broken, processor };
  const code = Math.max(...parts.map((part) => Number(part.code)));
  return { code, output: parts.map(({ output }) => output).join(''), processor };
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
