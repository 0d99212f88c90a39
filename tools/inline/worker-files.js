// What attnscope/inline has in place of web/lib/worker/files.js.

import { thread, wasm, worker } from 'attnscope:packed';
import { addressOf } from '../../web/lib/host.js';

/** @type {string | undefined} */
let address;

/** The worker is given the other files by its first line. */
export function openWorker() {
  address ??= addressOf(`globalThis.attnscopePacked = ${JSON.stringify({ thread, wasm })};\n${worker}`);
  return new Worker(address, { type: 'module' });
}
