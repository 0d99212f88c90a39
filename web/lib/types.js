// Types of the public API that the core's generated types do not hold. No code.

/** @typedef {import('./core/config.js').Config} Config
 * One layer and its fields; a field left out takes its default. */

/** @typedef {import('./generics.js').LayerName} LayerName */

// Typed arrays that JavaScript owns alone: Float32Array<ArrayBuffer> where TypeScript tells buffers apart, from 5.7 on.
/** @typedef {ReturnType<Float32Array['slice']>} Floats */
/** @typedef {ReturnType<Uint8Array['slice']>} Bytes */
/** @typedef {ReturnType<Int32Array['slice']>} Integers */

/** @typedef {{ float32: Floats, uint8: Bytes, int32: Integers }} Stored what a resident tensor holds */

/** Float16Array, where the `lib` has it.
 * @typedef {typeof globalThis extends { Float16Array: { prototype: infer Halves } } ? Halves : never} Halves */

/**
 * @typedef {object} Tensor
 * @property {Floats} data elements in row-major order, the last dimension fastest
 * @property {number[]} shape
 */

/**
 * @typedef {object} Mask
 * @property {Uint8Array | Float32Array} data bytes: 1 = may attend, 0 = hidden; floats: added to the
 *   scores, -Infinity hides. (`key_padding_mask` of `nn.MultiheadAttention` is the opposite.)
 * @property {readonly number[]} shape
 */

/**
 * @typedef {object} Ids integers, token ids say
 * @property {Integers} data each from 0 to the input's `limit` - 1
 * @property {number[]} shape
 */

/**
 * Data in row-major order with their shape, which onnxruntime calls dims.
 * @template Data
 * @typedef {{ data: Data, shape: readonly number[] } | { data: Data, dims: readonly number[] }} Shaped
 */

/** @typedef {'float16' | 'bfloat16'} HalfFormat what 16 bits hold */

/**
 * Floats as 16 bits, which are widened, exactly.
 * @typedef {{ data: Uint16Array, shape: readonly number[], dtype: HalfFormat }
 *   | { data: Uint16Array, dims: readonly number[], dtype: HalfFormat }
 *   | { data: Uint16Array, dims: readonly number[], type: 'float16' }} HalfInput
 */

/**
 * Floats as forward(), step() and loadStateDict() take them.
 * @typedef {Shaped<Float32Array | Halves> | HalfInput | import('./tensor.js').ResidentTensor<'float32'>} FloatInput
 */

/**
 * What may be attended to. Bytes: 1 = may attend, 0 = hidden; floats are added to the scores, -Infinity hides.
 * (`key_padding_mask` of `nn.MultiheadAttention` is the opposite.) Where the input says `only_hides`, floats keep at 0
 * and hide at -10000 and below, and any other number is refused.
 * @typedef {Shaped<Uint8Array | Float32Array | Halves> | HalfInput
 *   | import('./tensor.js').ResidentTensor<'uint8' | 'float32'>} MaskInput
 */

/**
 * Integers, token ids say.
 * @typedef {Shaped<Int32Array> | import('./tensor.js').ResidentTensor<'int32'>} IdsInput
 */

/**
 * Any tensor that some layer takes.
 * @typedef {Shaped<Float32Array | Halves | Uint8Array | Int32Array> | HalfInput
 *   | import('./tensor.js').ResidentTensor<keyof Stored>} TensorInput
 */

/**
 * What a dimension goes over; '' for what has no name, as the two of cosines and sines. A query and a key are
 * positions; `kv_head`: heads of keys and values, where several query heads share one; `feature`: of any width but the
 * layer's.
 * @typedef {'' | 'batch' | 'position' | 'query' | 'key' | 'head' | 'kv_head' | 'head_feature' | 'hidden' | 'feature'
 *   | 'vocabulary' | 'class' | 'layer'} Axis
 */

/**
 * @typedef {object} Input what forward() takes under one name
 * @property {string} name
 * @property {number[]} shape of an optional mask the largest that fits: any that broadcasts to it does, aligned at the
 *   last axis. Two dimensions are (query, key) where these are the last axes, also where the batch is as long
 * @property {Axis[]} axes what each dimension goes over
 * @property {boolean} optional
 * @property {true} [only_hides] a mask that keeps or hides positions and is not added to scores: its floats are 0 to
 *   keep, or -10000 and below to hide
 * @property {true} [integer] token ids
 * @property {number} [limit] of token ids: they are below it
 * @property {true} [cached] step() takes it from the KV cache
 */

/**
 * @typedef {object} Result what forward() returns under one name
 * @property {string} name
 * @property {number[]} shape
 * @property {Axis[]} axes what each dimension goes over
 * @property {boolean} weights attention weights, which `need_weights: false` leaves out
 * @property {string} tensor what the steps call it
 * @property {number} repeat how many layers make one, of which the last one's is returned
 * @property {string} [mask] the optional input of which each number hides one of a plane of this result
 */

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {'integer' | 'number' | 'boolean' | 'choice'} type
 * @property {number | boolean | string | null} default
 * @property {true} [optional] null is a value too: what it stands for is said in `meaning`
 * @property {number} [min] integers and numbers only, included but where `above_min` is set
 * @property {true} [above_min] numbers only: a value must be above `min`
 * @property {number} [max] integers and numbers only, included
 * @property {number[]} [samples] of some integers and numbers: values that are worth trying, as attnscope's tests do
 * @property {string[]} [choices] choices only
 * @property {string} meaning
 */

/**
 * @typedef {object} Layer
 * @property {LayerName} name value of the config's `layer`
 * @property {string} title
 * @property {string} group where a form lists it
 * @property {string} summary
 * @property {string} pytorch_class the class of the module that `pytorch` prints
 * @property {Field[]} fields
 * @property {Input[]} inputs what forward() takes, with the shapes that the default config gives them
 * @property {Result[]} results what it returns, so too
 */

/**
 * @typedef {object} Output
 * @property {string} name
 * @property {number[]} shape
 * @property {Axis[]} axes what each of its dimensions goes over
 */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string} op
 * @property {string} part what the step is for: project, score, normalize, combine
 * @property {string[]} inputs names of tensors, parameters included
 * @property {string} output
 * @property {number[]} shape of the output
 * @property {Axis[]} axes what each of its dimensions goes over
 * @property {Output[]} [further_outputs] those after `output`, of a step that makes several tensors
 * @property {number} repeat how often it runs: the figures that follow are those of one time, but saved_bytes
 * @property {number} places in how many places of a list its parameters stand, each with values of its own: 12 in 12
 *   layers, 1 where the positions of a recurrent layer follow each other
 * @property {number} parameters elements of the parameters that it uses, in one place
 * @property {number} macs multiply-accumulates of its matrix product
 * @property {number} elementwise every other arithmetic operation
 * @property {number} bytes_moved each operand read once and each output written once; 0 for views
 * @property {number} saved_bytes what autograd keeps of it, all times together, and no step before has kept
 * @property {string} pytorch the expression that computes the output, or a tuple of all
 * @property {string} [within] the module of PyTorch's whose one call does this step and others: 'nn.LSTM'
 */

/**
 * @typedef {object} Operations how many of each kind: every figure of operations is a table of weights over these
 * @property {number} macs multiply-accumulates of matrix products
 * @property {number} visible_macs of these, those that a causal shape or a window leaves
 * @property {number} additions
 * @property {number} multiplications
 * @property {number} divisions
 * @property {number} roots one a row that a norm divides
 * @property {number} exponentials exp, tanh, erf, sine or cosine, or an activation that is made of one of them
 * @property {number} comparisons
 */

/**
 * @typedef {object} Memory bytes, at the config's dtype. The training figures are null for int8,
 *   which is a format for inference.
 * @property {number} parameters
 * @property {number} inputs
 * @property {number} output everything that forward() returns
 * @property {number} activations_peak most bytes of step outputs alive at once, results included
 * @property {number} inference_total parameters + inputs + activations_peak
 * @property {number} activations_peak_without_weights the peak where no attention weights are returned, and what has a
 *   number for each query and key is made part by part, as attnscope's kernels and FlashAttention's do
 * @property {number} inference_total_without_weights parameters + inputs + activations_peak_without_weights
 * @property {number | null} saved_for_backward what PyTorch's autograd keeps, parameters left out
 * @property {number | null} gradients one for each parameter
 * @property {number | null} kept_for_backward parameters, gradients, and what is alive when the forward pass ends:
 *   inputs, saved tensors, results. What an optimizer keeps is in the estimate of a training step.
 */

/**
 * @typedef {object} KvCache bytes, at the config's dtype, over all layers
 * @property {number} bytes_per_token of one position of one sequence, while every layer keeps it
 * @property {number} bytes_per_sequence of past_len + seq_len positions; with a window no more than that
 * @property {number} bytes of the whole batch
 */

/**
 * @template [C=Config]
 * @typedef {object} EstimateFigures counts are exact to 2^53 and the nearest double past it
 * @property {import('./generics.js').Filled<C>['layer']} layer
 * @property {import('./generics.js').Filled<C>} config with the defaults filled in
 * @property {number} bytes_per_element of one number in the config's `dtype`
 * @property {number} parameters
 * @property {number} macs multiply-accumulates of matrix products, one forward pass
 * @property {Operations} operations all of them, by kind
 * @property {number} flops 2 per MAC and nothing else, as torch.utils.flop_counter counts
 * @property {number} elementwise operations outside matrix products: 1 an element for a bias or
 *   activation, 5 for softmax (compare, subtract, exponentiate, add, divide), 7 for layer_norm, 4 for
 *   rms_norm
 * @property {number} bytes_moved
 * @property {Input[]} inputs what forward() takes
 * @property {Result[]} results what it returns, `output` first
 * @property {number[]} output_shape
 * @property {Record<string, {parameters: number, macs: number}>} parts
 * @property {Memory} memory
 * @property {KvCache | null} kv_cache null for layers without one
 * @property {TrainingEstimate} [training] where the options ask for it
 */

/**
 * @typedef {object} EstimateSteps
 * @property {Record<string, number[]>} shapes what every step makes, by name
 * @property {Step[]} steps
 * @property {{tensor: string, bytes: number, born: number, freed: number}[]} timeline the steps
 *   between which each tensor is alive, both included; a repeated step counts as one
 */

/**
 * @typedef {object} EstimateNames
 * @property {Record<string, string[]>} tensors what `forward` can return beside its results: by each name of a step's
 *   output the names that `forward` has for it, one for each time that the step is repeated. The `masked_scores` are
 *   what a softmax makes of its scores first: with the mask added, and -Infinity for those that are hidden
 */

/**
 * @template [C=Config]
 * @typedef {EstimateFigures<C> & EstimateSteps} Estimate
 */

/**
 * @typedef {object} EstimateOptions
 * @property {boolean} [steps] whether the estimate has `steps`, their `shapes` and the `timeline`, which take most of
 *   its time
 * @property {boolean} [tensors] whether the estimate has `tensors`, the names that `forward` takes; false by default
 * @property {import('./trainer.js').TrainerOptions} [training] sizes a whole step of training as well, as
 *   `scope.trainer` would make it: the estimate then has `training`. Of one config only
 */

/**
 * @typedef {object} Operated
 * @property {number} macs
 * @property {number} flops as `torch.utils.flop_counter` counts them
 * @property {number} elementwise
 * @property {Operations} operations
 */

/**
 * @typedef {object} TrainingMemory bytes, at the config's dtype
 * @property {number} parameters
 * @property {number} gradients of the parameters that are trained
 * @property {number} optimizer what it keeps for each of them
 * @property {number} kept parameters, gradients and optimizer: between two steps
 * @property {number} inputs those of the layer, and what its result is held against
 * @property {number} noise of dropout
 * @property {number} activations_peak most bytes alive at once of what steps make, gradients included
 * @property {number} peak parameters, optimizer, inputs, noise and activations_peak: of a whole step
 */

/**
 * @typedef {object} Gradients of a scalar, by inputs and by parameters; what it does not depend on has none
 * @property {Record<string, Tensor>} outputs the results that its gradients were given by
 * @property {Record<string, Tensor>} inputs
 * @property {Record<string, Tensor>} parameters
 */

/**
 * @typedef {object} TrainingFigures forward, loss, backward and update
 * @property {{ forward: Operated, backward: Operated, update: Operated }} phases the loss is the forward pass's
 * @property {TrainingMemory} memory
 *
 * @typedef {Operated & TrainingFigures & Partial<Pick<EstimateSteps, 'steps' | 'timeline'>>} TrainingEstimate
 */

/**
 * @typedef {object} Refusal what stands among estimates in the place of one that cannot be
 * @property {string} error the message that `estimate` would throw
 * @property {string} field what the message is about, '' for the config as a whole
 * @property {number} index of the config
 */

/** @typedef {'float32' | 'float16' | 'bfloat16' | 'int8'} Format of numbers */

/**
 * @typedef {object} NumberFormat
 * @property {Format} name
 * @property {number} bits
 * @property {number} bytes
 * @property {number} largest finite value; of int8 before its scale
 * @property {number} step from 1 to the next value; of int8 before its scale
 * @property {boolean} trainable false for a format for inference
 */

/**
 * @typedef {object} StepOptions
 * @property {boolean} [need_weights] whether the weights are returned; true by default
 * @property {boolean} [resident] leave the results in the core, as tensors that other calls take without a copy
 * @property {(done: number) => boolean | void} [progress] of a long run: called every 16 ms or so with the part that is
 *   done, from 0 to 1; returns false to stop the run, which then throws an AbortError
 */

/**
 * @typedef {object} OwnForwardOptions
 * @property {Format} [round] round weights and inputs to this
 *   format first and report the error against float32; int8 is symmetric, with one scale a row, and
 *   leaves biases
 * @property {boolean} [reference] by plain loops in double precision instead of the kernels, with the weights in
 *   float32; only in the build that `open({ build: 'reference' })` loads
 * @property {boolean} [compare] run once more with the weights in float32, and report the error that the model's
 *   `storage` makes
 * @property {readonly string[]} [tensors] names of tensors between the steps, which are returned too, as `tensors` of
 *   the results: 'scores', or 'model.layers.3.scores' of a layer of a stack. `estimate(config, { tensors: true })`
 *   lists them. What a fused kernel would not have is made for this run
 */

/** @typedef {StepOptions & OwnForwardOptions} ForwardOptions */

/**
 * @typedef {object} BackwardOptions
 * @property {boolean} [reference] as of `forward`
 * @property {readonly string[]} [tensors] names of tensors that steps make, as `forward` takes them but for masked
 *   scores: the gradients by these are returned too, as `tensors` of the results
 * @property {(done: number) => boolean | void} [progress] as of `forward`
 */

/** @typedef {Pick<ForwardOptions, 'need_weights' | 'round' | 'compare' | 'tensors'>} RunBytesOfForward */
/** @typedef {RunBytesOfForward & { storage?: Format }} RunBytesOptions */

/**
 * @typedef {object} ModelStorage what the option `storage` of `create` comes to in one model
 * @property {Readonly<Record<string, Format>>} parameters by parameter name, the format in which runs read the
 *   parameter: that of `storage` for weights of linear layers, 'float32' for biases, norms, embeddings and linear
 *   layers with one output
 * @property {Format | null} cache the format of the KV cache: 'float32' where `storage` is 'int8'; null of a layer
 *   without a cache
 */

/**
 * @typedef {object} RoundingError of the output, against float32
 * @property {number} max_absolute the largest difference
 * @property {number} relative the Euclidean norm of all differences over that of the output
 */

/**
 * @typedef {object} OpenOptions
 * @property {number} [threads] how many threads run; by default the engine's cores, at most 8
 * @property {boolean} [sharedMemory] where the engine has shared memory, one thread runs in the build with threads,
 *   too: a page that opens a worker with threads loads one .wasm for both; by default false
 * @property {'simd' | 'relaxed' | 'reference'} [build] which instructions; by default the fastest that runs here.
 *   'reference' is 'simd' with one thread, and has the reference loops for `reference: true`
 * @property {string | URL} [wasmUrl] the folder that holds the .wasm files; by default this module's
 */

/**
 * @typedef {object} Build which WebAssembly runs
 * @property {string} name 'relaxed-threads', 'relaxed', 'simd-threads', 'simd' or 'reference'
 * @property {number} threads
 * @property {boolean} isolated whether the engine lets threads share memory
 * @property {string} reason what this engine lacks for the fastest build; '' for nothing
 */

/**
 * @typedef {object} ImportedKey a key of a config.json, or a default that stands in for one
 * @property {string} key one inside `text_config` is called `text_config.hidden_size`
 * @property {unknown} value the file's, or the default
 * @property {'used' | 'defaulted' | 'ignored'} use ignored: it does not change what attnscope sizes
 * @property {string[]} fields what it sets in the config
 * @property {string} [note] how it sets them, or why none
 * @property {string} [differs] what the model computes by this key, or keeps in its cache or its file, and attnscope
 *   does not; where no key has it, outputs are the model's
 */

/**
 * @typedef {object} Imported
 * @property {string} family the model's, after its `model_type`
 * @property {Config} config
 * @property {ImportedKey[]} keys each key of the file in its order, then each default that was used
 * @property {ImportedModel} model
 */

/**
 * @typedef {object} ImportedModel what the file says of its model beside the config
 * @property {string} name by `_name_or_path`, or by its family
 * @property {number | null} positions of the longest text that the model is made for; null where nothing says it
 * @property {number | null} layers how many layers of this config the model has; null where the config is the whole
 *   model
 */

export {};
