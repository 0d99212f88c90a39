// Opens the module in a worker, so that nothing that it does keeps a page waiting.

import { startWorker } from '../host.js';
import { rules } from '../open-options.js';
import { checkOptions, functionRule, refusal, signalRule } from '../options.js';
import { show } from '../values.js';
import { Calls } from './calls.js';
import { Parcel } from './crossing.js';
import { openWorker } from './files.js';
import { WorkerScope } from './worker-scope.js';

/** @typedef {import('./types.js').OpenInWorkerOptions} OpenInWorkerOptions */

/**
 * Loads the module in a worker of its own. The methods are those of what `open` gives, with promises; any number of
 * models and tensors lives in one worker.
 * @param {OpenInWorkerOptions} [options]
 * @returns {Promise<WorkerScope>} a worker, until `dispose()`
 */
export async function openInWorker(options = {}) {
  const {
    worker = openWorker,
    signal,
    ...others
  } = checkOptions('openInWorker', { ...rules, worker: functionRule, signal: signalRule }, options);
  signal?.throwIfAborted();
  const { ready, end } = startWorker(() => checkedWorker(worker()));
  const calls = new Calls(await unlessAborted(ready, signal, end), signal);
  try {
    const args = [new Parcel(calls).pack(located(others))];
    return new WorkerScope(calls, await calls.send({ kind: 'open', args }));
  } catch (error) {
    calls.end(error);
    throw error;
  }
}

/** An address is relative to the page, not to the worker's file. @param {import('../types.js').OpenOptions} options */
function located({ wasmUrl, ...others }) {
  if (wasmUrl === undefined) return others;
  const { baseURI } = globalThis.document ?? {};
  return { ...others, wasmUrl: baseURI ? new URL(wasmUrl, baseURI).href : String(wasmUrl) };
}

/** @param {any} worker @returns {Worker} */
function checkedWorker(worker) {
  if (typeof worker?.addEventListener === 'function') return worker;
  throw refusal('worker', `worker must return a new Worker(…), of the global Worker in Node too, got ${show(worker)}`);
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal | undefined} signal
 * @param {() => void} end what an abort does
 * @returns {Promise<T>}
 */
function unlessAborted(promise, signal, end) {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      end();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', onAbort));
  });
}
