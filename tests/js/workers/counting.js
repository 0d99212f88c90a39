// A worker file that knows how many bytes it has sent without a copy.

import { parentPort } from 'node:worker_threads';
import { serve } from 'attnscope/worker';

let transferred = 0;
const { postMessage } = parentPort;
parentPort.postMessage = (message, buffers = []) => {
  transferred += buffers.reduce((sum, { byteLength }) => sum + byteLength, 0);
  postMessage.call(parentPort, message, buffers);
};

serve({ transferred: () => transferred });
