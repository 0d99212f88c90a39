// The public module: sizes, runs and explains attention layers. Works in Node, a page and a worker.

/** @typedef {import('./decoding.js').Decoded} Decoded */
/** @typedef {import('./types.js').Build} Build */
/** @typedef {import('./types.js').Config} Config */
/** @template [C=Config] @typedef {import('./types.js').Estimate<C>} Estimate */
/** @template [C=Config] @typedef {import('./types.js').EstimateFigures<C>} EstimateFigures */
/** @typedef {import('./types.js').EstimateOptions} EstimateOptions */
/** @typedef {import('./explain/types.js').Explanation} Explanation */
/** @typedef {import('./explain/types.js').ExplainOptions} ExplainOptions */
/** @typedef {import('./types.js').Field} Field */
/** @typedef {import('./types.js').FloatInput} FloatInput */
/** @typedef {import('./types.js').Format} Format */
/** @typedef {import('./types.js').Gradients} Gradients */
/** @typedef {import('./types.js').BackwardOptions} BackwardOptions */
/** @typedef {import('./types.js').ForwardOptions} ForwardOptions */
/** @typedef {import('./types.js').HalfFormat} HalfFormat */
/** @typedef {import('./types.js').IdsInput} IdsInput */
/** @typedef {import('./types.js').Imported} Imported */
/** @typedef {import('./types.js').ImportedKey} ImportedKey */
/** @typedef {import('./types.js').Ids} Ids */
/** @typedef {import('./types.js').Input} Input */
/** @typedef {import('./types.js').KvCache} KvCache */
/** @typedef {import('./types.js').Layer} Layer */
/** @typedef {import('./types.js').LayerName} LayerName */
/** @typedef {import('./types.js').Mask} Mask */
/** @typedef {import('./types.js').MaskInput} MaskInput */
/** @typedef {import('./types.js').Memory} Memory */
/** @typedef {import('./types.js').NumberFormat} NumberFormat */
/** @typedef {import('./types.js').OpenOptions} OpenOptions */
/** @typedef {import('./types.js').Output} Output */
/** @typedef {import('./types.js').Result} Result */
/** @typedef {import('./types.js').Refusal} Refusal */
/** @typedef {import('./types.js').RoundingError} RoundingError */
/** @typedef {import('./types.js').Step} Step */
/** @typedef {import('./types.js').TrainingEstimate} TrainingEstimate */
/** @typedef {import('./types.js').TrainingMemory} TrainingMemory */
/** @typedef {import('./types.js').StepOptions} StepOptions */
/** @typedef {import('./types.js').Tensor} Tensor */
/** @typedef {import('./trainer.js').Loss} Loss */
/** @typedef {import('./trainer.js').Optimizer} Optimizer */
/** @typedef {import('./trainer.js').Schedule} Schedule */
/** @typedef {import('./trainer.js').TrainerOptions} TrainerOptions */
/** @typedef {import('./trainer.js').TrainerState} TrainerState */
/** @typedef {import('./trainer.js').TrainingStep} TrainingStep */
/** @template {LayerName} Name @typedef {import('./generics.js').ConfigOf<Name>} ConfigOf */
/** @template [C=Config] @typedef {import('./generics.js').Inputs<C>} Inputs what forward() takes */
/** @template [C=Config] @typedef {import('./generics.js').StepInputs<C>} StepInputs what step() takes */
/**
 * @template [C=Config]
 * @template [O=import('./generics.js').CopyOptions]
 * @typedef {import('./generics.js').Results<C, O>} Results
 */
/** @template [C=Config] @typedef {import('./generics.js').Results<C, { resident: true }>} ResidentResults */
/** @typedef {import('./worker/types.js').CallOptions} CallOptions */
/** @typedef {import('./worker/types.js').OpenInWorkerOptions} OpenInWorkerOptions */
/** @typedef {import('./worker/types.js').RunOptions} RunOptions */
/** @typedef {import('./worker/types.js').TaskContext} TaskContext */
/** @template [C=Config] @typedef {import('./worker/types.js').WorkerInputs<C>} WorkerInputs */
/**
 * @template [C=Config]
 * @typedef {import('./worker/types.js').WorkerResults<C, { resident: true }>} WorkerResidentResults
 */

/**
 * @template {number | Promise<number>} [Choice=number]
 * @typedef {import('./decoding.js').DecodeOptions<Choice>} DecodeOptions
 */

export { fromHuggingFace } from './huggingface.js';
export { Model } from './model.js';
export { Attnscope, defineConfig, open } from './scope.js';
export { ResidentTensor } from './tensor.js';
export { Trainer } from './trainer.js';
export { openInWorker } from './worker/open-in-worker.js';
export { WorkerModel } from './worker/worker-model.js';
export { WorkerScope } from './worker/worker-scope.js';
export { WorkerTensor } from './worker/worker-tensor.js';
export { WorkerTrainer } from './worker/worker-trainer.js';
