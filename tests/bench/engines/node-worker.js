// One runtime in a process of its own: `node-worker.js RUNTIME THREADS`.

import { contestant } from '../orders.js';

const [name, threads] = process.argv.slice(2);
const obey = contestant(name, Number(threads));

process.on('message', async (/** @type {import('../orders.js').Order} */ order) => process.send?.(await obey(order)));
process.on('disconnect', () => process.exit()); // the benchmark is gone
