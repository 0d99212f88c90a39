// Types of the API in a worker. No code.

/**
 * @typedef {object} TransferOptions
 * @property {ArrayBuffer[]} [transfer] buffers of the arguments that go over to the worker without a copy: the caller's
 *   arrays on them are empty afterwards
 */

/**
 * @typedef {object} WorkerRunOptions
 * @property {AbortSignal} [signal] stops the run: its promise is rejected at once with the signal's reason. Where
 *   memory cannot be shared, in a page that is not cross-origin isolated, a run that has begun ends in the background,
 *   and later calls wait for it
 */

/** @typedef {TransferOptions & WorkerRunOptions} RunOptions */

/**
 * @template T tensors by name
 * @typedef {{ [Name in keyof T]: T[Name] | import('./worker-tensor.js').WorkerTensor<any> }} OrInWorker
 */

/**
 * @template C
 * @typedef {OrInWorker<import('../generics.js').Inputs<C>>} WorkerInputs
 */

/**
 * @template C
 * @typedef {OrInWorker<import('../generics.js').StepInputs<C>>} WorkerStepInputs
 */

/**
 * Copies, or with `resident: true` tensors in the worker that are to be disposed of, each.
 * @template C
 * @template O
 * @typedef {import('../generics.js').Results<C, O, import('./worker-tensor.js').WorkerTensor>} WorkerResults
 */

/**
 * @typedef {object} OwnWorkerOptions
 * @property {() => Worker} [worker] starts a worker file of the caller's own, one that calls `serve`:
 *   `() => new Worker(new URL('./my-worker.js', import.meta.url), { type: 'module' })`
 * @property {AbortSignal} [signal] ends the worker, while it opens or later; what waits is rejected with its reason
 */

/** @typedef {import('../types.js').OpenOptions & OwnWorkerOptions} OpenInWorkerOptions */

/**
 * @typedef {object} TaskOptions
 * @property {(value: any) => unknown} [progress] is called with what the task tells; returns false to stop the task
 *
 * @typedef {TransferOptions & WorkerRunOptions & TaskOptions} CallOptions
 */

/**
 * @typedef {object} TaskContext what a task has besides its scope and its job
 * @property {(value: unknown) => false | Promise<void>} progress tells the page, at once. Returns false when the page
 *   wants
 *   no more of the task: a `forward` whose `progress` returns that stops. Else a promise that the page has taken the
 *   value
 * @property {(buffers: ArrayBuffer[]) => void} transfer buffers that the result takes along without a copy
 */

/**
 * @typedef {(scope: import('../scope.js').Attnscope, job: any, context: TaskContext) => unknown} Task may return a
 *   promise
 */

export {};
