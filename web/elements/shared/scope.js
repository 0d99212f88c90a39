import { open } from '../../lib/index.js';
import { ONE_THREAD } from './one-thread.js';

/** @type {ReturnType<typeof open> | undefined} */
let opening;

/**
 * The module on the page's thread, opened once: estimates and small examples; what takes long runs in a worker. After a
 * failure it is tried anew.
 */
export function pageScope() {
  opening ??= open(ONE_THREAD).catch((error) => {
    opening = undefined;
    throw error;
  });
  return opening;
}
