// The three layers learn in workers of their own, each in slices, between which it tells how far it is.

import { openInWorker } from '../../../lib/index.js';
import { SIDES, plan } from '../../../plain/attention-or-dense/minute-layers.js';
import { ONE_THREAD } from '../../shared/one-thread.js';

/**
 * @typedef {import('../../../plain/attention-or-dense/minute-layers.js').Snapshot} Snapshot
 * @typedef {import('../../../plain/attention-or-dense/minute-layers.js').Example} Example
 * @typedef {{ untrained: Snapshot, examples: Example[], chance: number }} Begun
 */

const SLICE_SECONDS = 0.04;

/**
 * Trains them, until all have made their steps.
 * @param {{ begun: (all: Begun[]) => void, learned: (side: number, snapshot: Snapshot) => void, signal: AbortSignal
 *   }} listener
 */
export async function learn({ begun, learned, signal }) {
  const scopes = await Promise.all(SIDES.map(() => opened(signal)));
  begun(await Promise.all(SIDES.map(({ name }, side) => scopes[side].call('begin', { name }))));
  await Promise.all(
    scopes.map(async (scope, side) => {
      for (let step = 0; step < plan.steps;) {
        const snapshot = /** @type {Snapshot} */ (await scope.call('train', { seconds: SLICE_SECONDS }));
        if (signal.aborted) return;
        step = snapshot.step;
        learned(side, snapshot);
      }
      scope.dispose();
    })
  );
}

/** @param {AbortSignal} signal */
const opened = (signal) =>
  openInWorker({
    worker: () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' }),
    ...ONE_THREAD,
    signal
  });
