// One thread of the core: a worker, which Emscripten's own JavaScript runs from its first message on.

import createThreads from './core/core-threads.mjs';
import { becomeWorker, sayReady } from './host.js';

becomeWorker('em-pthread'); // by this name Emscripten's JavaScript knows that it runs in a thread
createThreads();
sayReady();
