// Where the worker's file lies. Not in ../files.js: the worker imports that, and a worker that names itself is refused
// by Vite.

export const openWorker = () => new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
