// Native PyTorch, for orientation: steps of training in a Python process, with numbers handed over in a file.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { project } from '../../../tools/folders.js';
import { pytorch as pytorchTools } from '../../../tools/toolchain.js';
import { dataOf } from '../data.js';
import { adam, trainings } from '../trainings.js';
import { valueOf, within } from './engine.js';

/**
 * @typedef {import('./engine.js').Order} Order
 * @typedef {import('./engine.js').Runner} Runner
 * @typedef {import('../../../web/lib/index.js').Attnscope} Attnscope
 * @typedef {import('../trainings.js').Training} Training
 */

const SCRIPT = 'tests/bench/engines/pytorch_steps.py';
const folder = join(project, 'build/bench');

/** @type {import('../runtimes/runtime.js').Contestant} */
export const nativePyTorch = {
  name: 'native PyTorch',
  orientation: true,
  ways: () => [],
  trainingWays: () => ['eager']
};

/**
 * @param {Attnscope} scope which writes the modules
 * @returns {Promise<(threads: number) => Runner>}
 */
export async function pytorchRunners(scope) {
  const tools = await pytorchTools();
  mkdirSync(folder, { recursive: true });
  return (threads) => new PyTorchRunner(tools, scope, threads);
}

/** @implements {Runner} */
class PyTorchRunner {
  #child;
  #scope;
  #file;
  #answers;

  /**
   * @param {import('../../../tools/toolchain.js').Tools} tools
   * @param {Attnscope} scope
   * @param {number} threads
   */
  constructor(tools, scope, threads) {
    // OpenBLAS has threads beside OpenMP's; those that wait for work must not keep a core from others.
    const [command, args, { cwd, env }] = tools.line('python3', [SCRIPT, String(threads)], {
      env: { OPENBLAS_NUM_THREADS: String(threads), OMP_NUM_THREADS: String(threads), OMP_WAIT_POLICY: 'passive' }
    });
    this.#child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'inherit']
    });
    this.#child.on('error', () => {}); // the next order fails, and says so
    this.#child.stdin.on('error', () => {});
    this.#scope = scope;
    this.#file = join(folder, `pytorch-${this.#child.pid}.bin`);
    this.#answers = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** @param {Order} order @param {number} limit milliseconds */
  async ask(order, limit) {
    if (order.order === 'open') return undefined;
    const words = order.order === 'prepare' ? this.#preparation(order.workload) : order;
    this.#child.stdin.write(`${JSON.stringify(words)}\n`);
    const { value: line } = await within(this.#answers.next(), order, limit);
    if (line === undefined) throw new Error('its process ended');
    const value = valueOf(JSON.parse(line));
    if (order.order !== 'result') return value;
    const { buffer } = new Uint8Array(readFileSync(this.#file));
    return new Float32Array(buffer);
  }

  async end() {
    this.#child.kill('SIGKILL');
    rmSync(this.#file, { force: true });
  }

  /** Writes the numbers down, and says where each of them is. @param {string} name */
  #preparation(name) {
    const training = /** @type {Training} */ (trainings.find((one) => one.name === name));
    const { config } = training;
    const data = dataOf(training);
    const groups = [
      ...Object.entries(training.inputs).map(([name, shape]) => ['inputs', name, shape, data.inputs[name]]),
      ...Object.entries(training.ids).map(([name, { shape }]) => [
        'ids',
        name,
        shape,
        Float32Array.from(data.ids[name])
      ]),
      ...Object.entries(training.weights).map(([name, shape]) => ['weights', name, shape, data.weights[name]])
    ];
    const bytes = groups.map(([, , , values]) => {
      const { buffer, byteOffset, byteLength } = /** @type {Float32Array} */ (values);
      return new Uint8Array(buffer, byteOffset, byteLength);
    });
    writeFileSync(this.#file, Buffer.concat(bytes));
    return {
      order: 'prepare',
      file: this.#file,
      tensors: groups.map(([group, name, shape]) => [group, name, shape]),
      source: training.training && this.#scope.pytorch(config, { self_check: false }),
      class: this.#scope.layers().find(({ name }) => name === config.layer)?.pytorch_class,
      adam: { lr: adam.lr, betas: [adam.beta1, adam.beta2], eps: adam.eps },
      steps: training.steps
    };
  }
}
