// One at a time, across processes. The lock is the kernel's (flock): it ends with the process that holds it,
// however that ends, so no lock is ever left behind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { find } from './commands.js';

/**
 * Does the work while no other process does work under the same lock file.
 * @template T
 * @param {string} file made where missing, never removed
 * @param {() => void} waiting called once if another process holds the lock
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, waiting, work) {
  if (!find('flock')) return work();
  mkdirSync(dirname(file), { recursive: true });
  let release = await take(file, ['--nonblock']);
  if (!release) {
    waiting();
    release = await take(file, []);
  }
  try {
    return await work();
  } finally {
    await release?.();
  }
}

/**
 * @param {string} file
 * @param {string[]} options
 * @returns {Promise<(() => Promise<unknown>) | null>} releases the lock; null if it was not to be had
 */
function take(file, options) {
  return new Promise((resolve, reject) => {
    // `cat` ends when our end of its standard input does, at the latest when this process dies.
    const holder = spawn('flock', [...options, file, 'sh', '-c', 'echo held; exec cat'], {
      stdio: ['pipe', 'pipe', 'inherit']
    });
    holder.stdout.once('data', () => resolve(() => end(holder)));
    holder.once('error', reject);
    holder.once('close', () => resolve(null));
  });
}

/** @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, any, null>} holder */
function end(holder) {
  const ended = once(holder, 'close');
  holder.stdin.end();
  return ended;
}
