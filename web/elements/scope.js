import { open } from '../lib/index.js';

/** @type {ReturnType<typeof open> | undefined} */
let opening;

/** The module on the page's thread, opened once: estimates and small examples; what takes long runs in a worker. */
export const pageScope = () => (opening ??= open({ threads: 1 }));
