// The runs of some variants in their worker, seen from the page.

import { openInWorker } from '../../lib/index.js';
import { ONE_THREAD } from '../shared/one-thread.js';
import { Patience, WAITS } from '../shared/patience.js';

/**
 * @typedef {object} Session
 * @property {(call: string, job?: unknown) => Promise<any>} call one of `Runs`, or `begin`; after those before it
 * @property {() => void} dispose ends it, whatever it does; what waits is rejected with an AbortError
 */

/** @returns {Session} */
export function openSession() {
  const ending = new AbortController();
  const patience = new Patience();
  const scope = openInWorker({
    worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
    ...ONE_THREAD, // small layers gain nothing from more, and the numbers do not depend on the machine's threads
    signal: ending.signal
  });
  scope.catch(() => {}); // who calls is told
  return {
    call: (call, job) =>
      patience.answer(
        scope.then((opened) => opened.call(call, job)),
        call === 'train' ? WAITS.slice : WAITS.task
      ),
    dispose: () => ending.abort(new DOMException('the run was ended', 'AbortError'))
  };
}
