// Runtimes in Node 24, each in a process of its own. None outlives the benchmark.

import { spawn } from 'node:child_process';
import { node24 } from '../../../tools/toolchain.js';
import { valueOf, within } from './engine.js';

/**
 * @typedef {import('./engine.js').Order} Order
 * @typedef {import('./engine.js').Runner} Runner
 */

const WORKER = 'tests/bench/engines/node-worker.js';

/** @type {Set<NodeRunner>} */
const running = new Set();

/** Ends every process, and does so from now on however this one ends. */
function endWithThisProcess() {
  process.on('exit', () => running.forEach((runner) => runner.end()));
  for (const [signal, code] of /** @type {const} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129]
  ])) {
    process.on(signal, () => process.exit(code));
  }
}

/** @returns {Promise<import('./engine.js').Engine>} */
export async function node() {
  const tools = await node24();
  endWithThisProcess();
  const version = await tools.run(tools.node, ['--version']);
  return {
    version: `Node ${version.trim().slice(1)}`,
    start: (runtime, threads) => new NodeRunner(tools, runtime, threads),
    close: async () => running.forEach((runner) => runner.end())
  };
}

/** @implements {Runner} */
class NodeRunner {
  /** @type {import('node:child_process').ChildProcess} */
  #child;
  #errors = '';

  /**
   * @param {import('../../../tools/toolchain.js').Tools & { node: string }} tools
   * @param {string} runtime
   * @param {number} threads
   */
  constructor(tools, runtime, threads) {
    // What Node tells a child by these variables does not get into a root by itself.
    const channel = { NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: 'advanced' };
    const [command, args, { cwd, env }] = tools.line(tools.node, [WORKER, runtime, String(threads)], { env: channel });
    this.#child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced'
    });
    this.#child.on('error', () => {}); // the next order fails, and says so
    this.#child.stderr?.on('data', (chunk) => (this.#errors = (this.#errors + chunk).slice(-2000)));
    running.add(this);
  }

  /** @param {Order} order @param {number} limit milliseconds */
  async ask(order, limit) {
    const child = this.#child;
    /** @type {(answer: any) => void} */
    let answered = () => {};
    /** @type {() => void} */
    let ended = () => {};
    const answer = new Promise((resolve, reject) => {
      answered = resolve;
      ended = () =>
        reject(
          new Error(['its process ended', ...this.#errors.trim().split('\n').filter(Boolean).slice(0, 1)].join(': '))
        );
    });
    child.on('message', answered).on('close', ended);
    child.send(order, (error) => error && ended());
    return valueOf(
      await within(answer, order, limit).finally(() => child.off('message', answered).off('close', ended))
    );
  }

  async end() {
    running.delete(this);
    this.#child.kill('SIGKILL');
  }
}
