// A user of the package, as TypeScript sees him. Every line under `@ts-expect-error` must be refused: tsc
// reports an expectation that nothing fails.

import {
  Attnscope,
  Model,
  ResidentTensor,
  Trainer,
  WorkerModel,
  WorkerScope,
  WorkerTensor,
  WorkerTrainer,
  fromHuggingFace,
  open,
  openInWorker
} from 'attnscope';
import { serve } from 'attnscope/worker';
import type {
  TrainerState,
  TrainingStep,
  Build,
  Config,
  Estimate,
  EstimateFigures,
  EstimateOptions,
  ExplainOptions,
  Explanation,
  Field,
  FloatInput,
  ForwardOptions,
  Ids,
  Imported,
  ImportedKey,
  Input,
  KvCache,
  Layer,
  Mask,
  Memory,
  NumberFormat,
  OpenOptions,
  Refusal,
  ResidentResults,
  Result,
  Results,
  Step,
  Tensor
} from 'attnscope';

const options: OpenOptions = { threads: 2, build: 'simd', wasmUrl: new URL('file:///folder/') };
const scope: Attnscope = await open(options);
await open();

const build: Build = scope.build;
const threads: number = build.threads;
const limit: number = scope.memoryLimit;

const layers: Layer[] = scope.layers();
const fields: Field[] = layers[0].fields;
const formats: NumberFormat[] = scope.formats();
const largest: number = formats[0].largest;

const config: Config = { layer: 'additive_scorer', batch_size: 32, seq_len: 128, hidden_size: 768, attn_dim: 128 };
const full: Config = { layer: 'linear_scorer', batch_size: 1, bias: false, dtype: 'bfloat16', output: 'weights' };
const estimate: Estimate = scope.estimate(config);
const parameters: number = estimate.parameters;
const scores: number[] | undefined = estimate.shapes.scores;
const macs: number = estimate.parts.score.macs;
const steps: Step[] = estimate.steps;
const memory: Memory = estimate.memory;
const training: number | null = memory.kept_for_backward;
const cache: KvCache | null = estimate.kv_cache;
const repeats: number[] = steps.map(({ repeat }) => repeat);
const inputs: Input[] = estimate.inputs;
const gives: Result[] = estimate.results;
const ids: number | undefined = inputs[0].limit;
const fallback: string | number | boolean | null = fields[0].default;
const language: Config = {
  layer: 'decoder',
  num_layers: 2,
  window: 128,
  full_every: null,
  scale: null,
  norm_eps: 1e-6
};
const again: Estimate = scope.estimate(estimate.config);
const figures: EstimateFigures = scope.estimate(config, { steps: false });
const listed: Step[] = scope.estimate(config, { steps: true }).steps;
const perhaps: EstimateOptions = { steps: threads > 1 };
const maybeListed: Step[] | undefined = scope.estimate(config, perhaps).steps;
// @ts-expect-error figures alone have no steps
scope.estimate(config, { steps: false }).steps;
// @ts-expect-error there is no such option
scope.estimate(config, { timeline: false });
const several: (EstimateFigures | Refusal)[] = scope.estimates([config, full]);
for (const one of scope.estimates([config, full], { steps: true })) {
  const what: string | number = 'error' in one ? `${one.index}: ${one.error}` : one.steps.length;
}
const imported: Imported = fromHuggingFace(JSON.parse('{"model_type": "llama"}'));
const used: ImportedKey[] = imported.keys.filter(({ use }) => use === 'used');
scope.estimate(imported.config);

const model: Model = scope.create(config, { seed: 0 });
const hidden_states: Tensor = scope.randn([32, 128, 768], { seed: 1 });
const mask: Mask = { data: new Uint8Array(32 * 128), shape: [32, 128] };
const added: Mask = { data: new Float32Array(32 * 128), shape: [32, 128] };
const how: ForwardOptions = { need_weights: false, round: 'float16', reference: true };
const either: Tensor | ResidentTensor = model.forward({ hidden_states, mask }, how).output; // `how` may ask for both
const results: Results = model.forward(
  { hidden_states, mask },
  { need_weights: false, round: 'float16', reference: true }
);
const output: Float32Array = results.output.data;
const weights: Tensor | undefined = model.forward({ hidden_states, mask: added }).weights;
const error: number | undefined = results.rounding_error?.relative;
const wanted: string[] = scope.estimate(config, { tensors: true }).tensors.scores;
const perhapsNamed: Record<string, string[]> | undefined = scope.estimate(config, perhaps).tensors;
// @ts-expect-error names are listed where they are asked for
scope.estimate(config, { tensors: false }).tensors;
const between: Record<string, Tensor> = model.forward({ hidden_states }, { tensors: wanted }).tensors;
const named: Tensor = model.forward({ hidden_states }, { tensors: ['scores'] }).tensors.scores;
const leftInside: ResidentTensor = model.forward({ hidden_states }, { tensors: ['scores'], resident: true }).tensors
  .scores;
const perhapsBetween: Record<string, Tensor> | undefined = results.tensors;
// @ts-expect-error what was not asked for is not there
model.forward({ hidden_states }, { tensors: ['scores'] }).tensors.weights;
// @ts-expect-error without the option there are none
model.forward({ hidden_states }, {}).tensors;
// @ts-expect-error a list of names
model.forward({ hidden_states }, { tensors: 'scores' });
const cell: ExplainOptions = { key: 3, batch: 1 };
const explained: Explanation = model.explain({ hidden_states, mask }, cell);
const productsOf: number[] = explained.products.map(({ left, right }) => left.value * right.value);
const addedByKey: number[] | undefined = explained.value?.added;
const why: ('mask' | 'future' | 'window')[] = explained.masked.hidden_by;
// @ts-expect-error a cell has a key
model.explain({ hidden_states }, { query: 1 });
// @ts-expect-error a misspelt option of explain
model.explain({ hidden_states }, { key: 1, row: 1 });
// @ts-expect-error a layer without values adds nothing
explained.value.added;
const runs: number = scope.runBytes(config, { tensors: ['scores'], storage: 'float16' });
const state: Record<string, Tensor> = model.stateDict();
model.loadStateDict(state);
const tokens: Ids = { data: Int32Array.of(1, 2), shape: [1, 2] };
const decoder: Model = scope.create(language);
const stepped: Results = decoder.step(
  { tokens, mask: { data: new Uint8Array(2), shape: [1, 2] } },
  { need_weights: false }
);
const past: number = decoder.pastLength;
decoder.clearCache();
const pooledToken: Tensor | undefined = stepped.pooled;
const byInputs: Record<string, Tensor> = model.backward({ hidden_states }, { output: hidden_states }).inputs;
const byScores: Tensor = model.backward({ hidden_states }, { output: hidden_states }, { tensors: ['scores'] }).tensors
  .scores;
const trainer: Trainer = scope.trainer(language, {
  seed: 1,
  loss: { name: 'cross_entropy', target: 'next_token', label_smoothing: 0.1 },
  optimizer: { name: 'adamw', lr: 1e-3, beta2: 0.95 },
  schedule: { name: 'cosine', warmup_steps: 10, total_steps: 100 },
  clip_norm: 1,
  frozen: ['score.bias']
});
const costs: number = scope.estimate(config, { training: { optimizer: 'sgd' } }).training.phases.backward.flops;
const trained: TrainingStep = trainer.step({ tokens }, { progress: (done) => done < 1 });
const held: number = trainer.evaluate({ tokens, labels: tokens }).loss;
const kept: TrainerState = trainer.stateDict();
trainer.loadStateDict(kept);
const grown: Tensor = trainer.gradients()['score.weight'];
const learnt: Model = trainer.model;
trainer.dispose();
const resident: ResidentTensor = scope.tensor(hidden_states.data, hidden_states.shape);
const left: ResidentResults = model.forward({ hidden_states: resident }, { resident: true });
const next: ResidentTensor = left.output;
const copied: Float32Array = model.forward({ hidden_states: next }, { need_weights: false }).output.data;
next.dispose();
model.dispose();
const read: Float32Array = resident.data;
const bytes8: ResidentTensor<'uint8'> = scope.tensor(new Uint8Array(3), [3]);
const bits: FloatInput = { data: new Uint16Array(24), shape: [2, 3, 4], dtype: 'bfloat16' };
model.forward({ hidden_states: bits, mask: bytes8 });
model.forward({ hidden_states: { data: new Float32Array(24), dims: [2, 3, 4] as const } });
model.forward({ hidden_states: { data: new Uint16Array(24), dims: [2, 3, 4], type: 'float16' } });
model.loadStateDict({ 'score.weight': bits, 'score.bias': resident });
const widened: ResidentTensor = scope.tensor(new Uint16Array(2), [2], { dtype: 'float16' });
const shape = [2, 3] as const;
const drawn: Ids = scope.randint(9, shape);
const source: string = scope.pytorch(full, { self_check: false, imports: ['import torch'] });
const flops: number = scope.measurePeaks({ read_bytes: 1 << 20 }).flops_per_second;

// In a worker.
const worker = () => new Worker(new URL('file:///worker.js'), { type: 'module' });
const inWorker: WorkerScope = await openInWorker({ threads: 2, worker, signal: AbortSignal.timeout(1000) });
const there: WorkerModel = await inWorker.create(config, { seed: 0 });
const sized: Estimate = await inWorker.estimate(there.config);
const sizedShortly: EstimateFigures = await inWorker.estimate(config, { steps: false });
const sizedTogether: (EstimateFigures | Refusal)[] = await inWorker.estimates([config, full]);
const moved: WorkerTensor = await inWorker.tensor(hidden_states.data, [32, 128, 768], {
  transfer: [new ArrayBuffer(8)]
});
const ran: Results = await there.forward(
  { hidden_states: moved, mask },
  { need_weights: false, signal: AbortSignal.timeout(10), progress: (done) => done < 0.5 }
);
const stays: WorkerTensor = (await there.forward({ hidden_states }, { resident: true })).output;
const numbers: Float32Array = await stays.data;
const idsThere: WorkerTensor<'int32'> = await inWorker.tensor(tokens.data, [1, 2]);
const halvesThere: WorkerTensor = await inWorker.tensor(new Uint16Array(2), [2], { dtype: 'bfloat16' });
await (await inWorker.create({ layer: 'decoder' })).step({ tokens: idsThere });
const explainedThere: Explanation = await there.explain({ hidden_states: moved, mask }, { key: 3 });
const long: number = await there.pastLength;
await there.loadStateDict(await there.stateDict());
const gradientsThere = (await there.backward({ hidden_states: moved }, { output: hidden_states })).parameters;
const scoresThere: Tensor = (
  await there.backward({ hidden_states: moved }, { output: hidden_states }, { tensors: ['scores'] })
).tensors.scores;
const trainerThere: WorkerTrainer = await inWorker.trainer(config, { loss: 'mse_loss', optimizer: 'sgd' });
const lossThere: number = (await trainerThere.step({ hidden_states, target: moved })).loss;
const answer = await inWorker.call(
  'run',
  { config },
  { progress: (value: { done: number }) => value.done < 1, transfer: [] }
);
for await (const { token, output: logits } of there.decode([1, 2], {
  max_new_tokens: 3,
  choose: async (scores) => scores.length
})) {
  const id: number = token + logits.data.length;
}
for (const { token } of decoder.decode(tokens, { eos_token_id: [1, 2], choose: (scores) => scores.length })) {
  const id: number = token;
}
await there.dispose();
inWorker.dispose();
serve({
  run: (scope, job: { config: Config }, { progress, transfer }) => {
    const output = scope
      .create(job.config)
      .forward({}, { progress: (done: number) => progress({ done }) !== false }).output;
    transfer([new ArrayBuffer(8)]);
    return output;
  },
  wait: async (scope, job, { progress }) => {
    await progress(1);
  }
});

// @ts-expect-error what is in a worker comes later
const early: number = inWorker.estimate(config).parameters;
// @ts-expect-error a misspelt option of openInWorker
await openInWorker({ workers: worker });
// @ts-expect-error a signal is no number
await there.forward({ hidden_states }, { signal: 1 });
// @ts-expect-error beside the module nothing is transferred
model.forward({ hidden_states }, { transfer: [] });
// @ts-expect-error beside the module the choice cannot wait
decoder.decode(tokens, { choose: async () => 1 });
// @ts-expect-error a misspelt option of decode
there.decode([1], { max_tokens: 3 });
// @ts-expect-error a task is a function
serve({ run: 1 });

// Configs.
// @ts-expect-error there is no such layer
scope.estimate({ layer: 'linear_scorrer' });
// @ts-expect-error layer is missing
scope.estimate({ batch_size: 1 });
// @ts-expect-error a misspelt field
scope.estimate({ layer: 'linear_scorer', hiden_size: 768 });
// @ts-expect-error a field of another layer
scope.estimate({ layer: 'linear_scorer', attn_dim: 128 });
// @ts-expect-error a string is no size
scope.estimate({ layer: 'linear_scorer', seq_len: '128' });
// @ts-expect-error 1 is no boolean
scope.estimate({ layer: 'linear_scorer', bias: 1 });
// @ts-expect-error there is no such format
scope.estimate({ layer: 'linear_scorer', dtype: 'fp16' });
// @ts-expect-error there is no such output
scope.create({ layer: 'additive_scorer', output: 'mean' });
// @ts-expect-error null stands for nothing where a field is not optional
scope.estimate({ layer: 'decoder', num_layers: null });
// @ts-expect-error a string is no number
scope.estimate({ layer: 'self_attention', dropout: '0.1' });
// @ts-expect-error a config is needed
scope.estimate();
// @ts-expect-error a key is used, defaulted or ignored
used[0].use === 'unknown';

// Options.
// @ts-expect-error a misspelt option of open
await open({ thread: 2 });
// @ts-expect-error there is no such build
await open({ build: 'scalar' });
// @ts-expect-error threads is a number
await open({ threads: '2' });
// @ts-expect-error a misspelt option of create
scope.create(config, { sed: 1 });
// @ts-expect-error seed is a number
scope.randn([2], { seed: 1n });
// @ts-expect-error a misspelt option of forward
model.forward({ hidden_states }, { need_weight: true });
// @ts-expect-error a step is not rounded
decoder.step({ tokens }, { round: 'float16' });
// @ts-expect-error the length of the cache is read-only
decoder.pastLength = 0;
// @ts-expect-error there is no such format to round to
model.forward({ hidden_states }, { round: 'half' });
// @ts-expect-error there is no such option of pytorch
scope.pytorch(config, { check: false });

// Tensors.
// @ts-expect-error data must be a Float32Array
model.forward({ hidden_states: { data: new Float64Array(2), shape: [2] } });
// @ts-expect-error token ids are an Int32Array
decoder.step({ tokens: { data: [1, 2], shape: [1, 2] } });
// @ts-expect-error layers without a cache have none
const total: number = estimate.kv_cache.bytes;
// @ts-expect-error 16 bits may be two formats
model.forward({ hidden_states: { data: new Uint16Array(2), shape: [2] } });
// @ts-expect-error so here
scope.tensor(new Uint16Array(2), [2]);
// @ts-expect-error there is no such format of 16 bits
scope.tensor(new Uint16Array(2), [2], { dtype: 'int16' });
// @ts-expect-error floats say themselves what they are
scope.tensor(new Float32Array(2), [2], { dtype: 'float16' });
// @ts-expect-error bytes are no floats
model.loadStateDict({ 'score.weight': bytes8 });
// @ts-expect-error an array is no tensor
model.forward({ hidden_states: new Float32Array(2) });
// @ts-expect-error shape is missing
model.loadStateDict({ 'score.weight': { data: new Float32Array(2) } });
// @ts-expect-error weights may be missing
const sure: Tensor = results.weights;
// @ts-expect-error int8 has no training figures
const bytes: number = memory.kept_for_backward;

// What cannot be changed or does not exist.
// @ts-expect-error the build is read-only
scope.build.threads = 4;
// @ts-expect-error there is no such method
model.train();
// @ts-expect-error there is no such optimizer
scope.trainer(config, { optimizer: 'lion' });
// @ts-expect-error a learning rate is a number
scope.trainer(config, { optimizer: { name: 'adam', lr: '0.1' } });

export {
  byInputs,
  costs,
  gradientsThere,
  grown,
  held,
  learnt,
  lossThere,
  trained,
  again,
  halvesThere,
  drawn,
  either,
  gives,
  read,
  widened,
  answer,
  early,
  long,
  numbers,
  ran,
  sized,
  cache,
  error,
  explainedThere,
  productsOf,
  addedByKey,
  why,
  fallback,
  fields,
  ids,
  flops,
  limit,
  macs,
  output,
  parameters,
  past,
  pooledToken,
  repeats,
  scores,
  source,
  steps,
  sure,
  bytes,
  threads,
  total,
  training,
  used,
  weights
};
