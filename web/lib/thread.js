// One thread of the core: a worker, which Emscripten's own JavaScript runs from its first message on.

import createThreads from './core/core-threads.mjs';
import { becomeWorker, sayReady } from './host.js';

becomeWorker('em-pthread');  // by this name it knows that it is a thread's
createThreads();
sayReady();
