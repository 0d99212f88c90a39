/**
 * How pages and their workers open the module for what one thread does: in the build that runs with threads take, so
 * that a visitor loads one .wasm. It is no slower with one thread.
 */
export const ONE_THREAD = { threads: 1, sharedMemory: true };
