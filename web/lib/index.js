// The public module: sizes, runs and explains attention layers. Works in Node, a page and a worker.

/** @typedef {import('./decoding.js').Decoded} Decoded */
/** @typedef {import('./types.js').Build} Build */
/** @typedef {import('./types.js').Config} Config */
/** @typedef {import('./types.js').Estimate} Estimate */
/** @typedef {import('./types.js').Field} Field */
/** @typedef {import('./types.js').Format} Format */
/** @typedef {import('./types.js').ForwardOptions} ForwardOptions */
/** @typedef {import('./types.js').Imported} Imported */
/** @typedef {import('./types.js').ImportedKey} ImportedKey */
/** @typedef {import('./types.js').Ids} Ids */
/** @typedef {import('./types.js').Input} Input */
/** @typedef {import('./types.js').KvCache} KvCache */
/** @typedef {import('./types.js').Layer} Layer */
/** @typedef {import('./types.js').Mask} Mask */
/** @typedef {import('./types.js').Memory} Memory */
/** @typedef {import('./types.js').OpenOptions} OpenOptions */
/** @typedef {import('./types.js').ResidentResults} ResidentResults */
/** @typedef {import('./types.js').Results} Results */
/** @typedef {import('./types.js').Step} Step */
/** @typedef {import('./types.js').StepOptions} StepOptions */
/** @typedef {import('./types.js').Tensor} Tensor */
/** @typedef {import('./worker/types.js').CallOptions} CallOptions */
/** @typedef {import('./worker/types.js').OpenInWorkerOptions} OpenInWorkerOptions */
/** @typedef {import('./worker/types.js').RunOptions} RunOptions */
/** @typedef {import('./worker/types.js').TaskContext} TaskContext */
/** @typedef {import('./worker/types.js').WorkerResidentResults} WorkerResidentResults */

/**
 * @template {number | Promise<number>} [Choice=number]
 * @typedef {import('./decoding.js').DecodeOptions<Choice>} DecodeOptions
 */

export { fromHuggingFace } from './huggingface.js';
export { Model } from './model.js';
export { Attnscope, open } from './scope.js';
export { ResidentTensor } from './tensor.js';
export { openInWorker } from './worker/open-in-worker.js';
export { WorkerModel } from './worker/worker-model.js';
export { WorkerScope } from './worker/worker-scope.js';
export { WorkerTensor } from './worker/worker-tensor.js';
