// The test suites: what each needs, the command that runs it, and how its counts are read.

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
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
 * @typedef {object} Suite
 * @property {string} name
 * @property {Need[]} needs
 * @property {boolean} [alone] keeps all cores busy by itself, or has a browser wait for it: nothing else runs beside it
 * @property {(layers: string[]) => Promise<Result>} start
 * @property {boolean} [takesLayers] `npm test -- NAME LAYER...` runs what it has for these layers alone
 * @property {import('./counts.js').Parser} counts
 *
 * @typedef {() => Promise<unknown>} Need what must be done before; the same function is done once for all suites
 */

/** What suites need. @satisfies {Record<string, Need>} */
export const needs = {
  modules: () => installed(),
  built: () => build(),
  native: () => buildStages([nativeTests]),
  sanitized: () => buildStages([sanitizedTests]),
  wasm: () => buildStages([wasmTests]),
  formatter: () => formatter(),
  node24: () => node24(),
  pytorch: () => pytorch(),
  chromium: () => ensureCommands(['chromium'])
};

/** @type {Suite[]} In this order they are listed at the end. */
export const suites = [
  js('style', 'tests/style', { needs: [needs.modules, needs.formatter] }),
  cpp('cpp', needs.native, () => runCompiled('build/native/attnscope_tests')),
  cpp('cpp-sanitized', needs.sanitized, () => runCompiled('build/native-sanitize/attnscope_tests')),
  cpp('cpp-scalar', needs.wasm, () => runNode([wasmProgram('scalar')])),
  cpp('cpp-simd', needs.wasm, () => runNode([wasmProgram('simd')])),
  cpp('cpp-relaxed', needs.wasm, () => runNode24([wasmProgram('relaxed')])),
  js('js', 'tests/js', { needs: [needs.built] }),
  js('js-24', 'tests/js', { needs: [needs.built, needs.node24], runner: runNode24 }),
  js('types', 'tests/types', { needs: [needs.built] }),
  js('tools', 'tests/tools', { needs: [needs.built, needs.node24] }),
  js('package', 'tests/package', { needs: [needs.built] }),
  js('bundlers', 'tests/bundlers', { needs: [needs.built, needs.chromium] }),
  js('readme', 'tests/readme', { needs: [needs.built] }),
  js('page', 'tests/page', { needs: [needs.built, needs.chromium], alone: true, files: 2 }),
  {
    name: 'torch',
    needs: [needs.built, needs.node24, needs.pytorch],
    start: runTorch,
    takesLayers: true,
    counts: pytestCounts
  }
];

/**
 * @param {string} name
 * @param {Need} need
 * @param {() => Promise<Result>} start
 * @returns {Suite}
 */
function cpp(name, need, start) {
  return { name, needs: name === 'cpp-relaxed' ? [need, needs.node24] : [need], start, counts: doctestCounts };
}

/**
 * A suite of node:test files.
 * @param {string} name
 * @param {string} folder holds *.test.js, in folders too
 * @param {{ needs: Need[], alone?: boolean, files?: number, runner?: typeof runNode }} options files: run at once
 * @returns {Suite}
 */
function js(name, folder, { needs, alone, files = 1, runner = runNode }) {
  const start = async () => runner([...testOptions, `--test-concurrency=${files}`, ...testFiles(folder)]);
  return { name, needs, alone, start, counts: nodeCounts };
}

const minute = 60_000;
const suiteLimit = 25 * minute;
const testOptions = ['--test', '--test-reporter=./tools/reporter.js', `--test-timeout=${5 * minute}`];

/** @param {string} folder */
function testFiles(folder) {
  const names = existsSync(join(project, folder))
    ? readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' })
    : [];
  const files = names
    .filter((name) => name.endsWith('.test.js'))
    .sort()
    .map((name) => join(folder, name));
  if (files.length === 0) throw new Error(`${folder} has no *.test.js`);
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

/** @param {string[]} args */
async function runNode24(args) {
  const tools = await node24();
  return runWith(tools, tools.node, args);
}

/** @param {string} program relative to the checkout; runs where it was compiled */
async function runCompiled(program) {
  return runWith(await compiler(), join(project, program), [], { UBSAN_OPTIONS: 'print_stacktrace=1' });
}

/**
 * transformers saves small models; the module writes its answers for them and for many configs, of every build; PyTorch
 * judges them, in two processes at once.
 * @param {string[]} layers only the configs of these; of all layers, and all else, where there are none
 */
async function runTorch(layers) {
  const cases = layers.length === 0 ? 'build/torch-cases' : 'build/torch-layers';
  const tools = await pytorch();
  if (layers.length === 0) {
    const saved = await runWith(tools, 'python3', ['tests/torch/make_checkpoints.py', cases]);
    if (saved.code !== 0) return saved;
  }
  mkdirSync(join(project, cases), { recursive: true });
  const written = await runNode24(['tests/torch/write_cases.js', cases, ...layers]);
  if (written.code !== 0) return written;
  const judge = (/** @type {string} */ part) =>
    runWith(tools, 'python3', ['-m', 'pytest', '-q', 'tests/torch', '--cases', cases, '--part', part]);
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
