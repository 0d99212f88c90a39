/** In a file of its own and in these words: bundlers know them, and take the worker along. */
export const openWorker = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
