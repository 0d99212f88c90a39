// The benchmark's hold on a worker process. None outlives the benchmark.

import { spawn } from 'node:child_process';

const WORKER = 'tests/bench/worker.js';

/** @type {Set<Runner>} */
const running = new Set();

/** Ends every worker, and does so from now on however this process ends. */
export function endWithThisProcess() {
  process.on('exit', () => running.forEach((runner) => runner.end()));
  for (const [signal, code] of /** @type {const} */ ([['SIGINT', 130], ['SIGTERM', 143], ['SIGHUP', 129]])) {
    process.on(signal, () => process.exit(code));
  }
}

export class Runner {
  /** @type {import('node:child_process').ChildProcess} */
  #child;
  #errors = '';

  /**
   * @param {import('../../tools/toolchain.js').Tools & { node: string }} tools
   * @param {string} runtime
   * @param {number} threads
   */
  constructor(tools, runtime, threads) {
    // What Node tells a child by these variables does not get into a root by itself.
    const channel = { NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: 'advanced' };
    const [command, args, { cwd, env }] = tools.line(tools.node, [WORKER, runtime, String(threads)], { env: channel });
    this.#child = spawn(command, args, {
      cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe', 'ipc'], serialization: 'advanced'
    });
    this.#child.on('error', () => {}); // the next order fails, and says so
    this.#child.stderr?.on('data', (chunk) => (this.#errors = (this.#errors + chunk).slice(-2000)));
    running.add(this);
  }

  /**
   * @param {import('./worker.js').Order} order
   * @param {number} limit milliseconds
   * @returns {Promise<any>} the answer
   * @throws {Error} what the worker says, or that it ended or took too long
   */
  ask(order, limit) {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      const settle = (/** @type {() => void} */ how) => {
        clearTimeout(timer);
        child.off('message', answered).off('close', ended);
        how();
      };
      const fail = (/** @type {string} */ why) => settle(() => reject(new Error(why)));
      const answered = (/** @type {any} */ { value, error }) => (error === undefined ? settle(() => resolve(value)) : fail(error));
      const ended = () => fail(['its process ended', ...this.#errors.trim().split('\n').filter(Boolean).slice(0, 1)].join(': '));
      const timer = setTimeout(() => fail(`no answer to "${order.order}" within ${limit / 1000} s`), limit);
      child.on('message', answered).on('close', ended);
      child.send(order, (error) => error && ended());
    });
  }

  end() {
    running.delete(this);
    this.#child.kill('SIGKILL');
  }
}
