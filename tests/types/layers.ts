// Configs, inputs and results as TypeScript sees them by layer. Every line under `@ts-expect-error` must be refused.

import { Model, ResidentTensor, defineConfig, open } from 'attnscope';
import type { Config, ConfigOf, Estimate, Ids, Inputs, LayerName, Mask, Results, StepInputs, Tensor } from 'attnscope';

/** Compiles where both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(..._: Same<A, B> extends true ? [] : ['the types differ']) => {};

const scope = await open();
const hidden_states = scope.randn([2, 3, 4]);
const mask: Mask = { data: Uint8Array.of(1, 1, 0), shape: [3] };
const tokens = scope.randint(9, [1, 3]);

// A literal that is written in the call.
const additive = scope.create({ layer: 'additive_scorer', batch_size: 2 });
const { output, weights } = additive.forward({ hidden_states, mask });
same<typeof output, Tensor>();
same<typeof weights, Tensor>();
same<typeof output.shape, number[]>();
additive.forward({ hidden_states });
// @ts-expect-error hidden_states is missing
additive.forward({ mask });
// @ts-expect-error a misspelt input
additive.forward({ hidden_state: hidden_states });
// @ts-expect-error an additive scorer has no query
additive.forward({ hidden_states, query: hidden_states });
// @ts-expect-error integers are no hidden states
additive.forward({ hidden_states: tokens });
// @ts-expect-error nor are those in the core
additive.forward({ hidden_states: scope.tensor(tokens.data, tokens.shape) });
// @ts-expect-error an additive scorer has no KV cache
additive.step({ hidden_states });
// @ts-expect-error it returns no pooled
additive.forward({ hidden_states }).pooled;

// What the config changes.
const scores = scope.create({ layer: 'additive_scorer', output: 'scores' });
// @ts-expect-error scores are taken before the mask
scores.forward({ hidden_states, mask });
// @ts-expect-error and before the weights
scores.forward({ hidden_states }).weights;
const encoder = scope.create({ layer: 'encoder' });
same<ReturnType<typeof encoder.forward<{}>>['pooled'], Tensor>();
// @ts-expect-error without its pooler an encoder returns no pooled
scope.create({ layer: 'encoder', pooler: false }).forward({ tokens }).pooled;
// @ts-expect-error token ids are integers
encoder.forward({ tokens: hidden_states });
const cross = scope.create({ layer: 'multihead_attention', kv_len: 5 });
cross.forward({ query: hidden_states, key: hidden_states, value: hidden_states });
// @ts-expect-error keys and values come from elsewhere
cross.forward({ hidden_states });
const itself = scope.create({ layer: 'multihead_attention' });
// @ts-expect-error there they are those of the hidden states
itself.forward({ query: hidden_states, key: hidden_states, value: hidden_states });
declare const some: boolean;
const perhaps = scope.create({ layer: 'encoder', pooler: some }).forward({ tokens }).pooled;
same<typeof perhaps, Tensor | undefined>();

// Options.
const without = additive.forward({ hidden_states }, { need_weights: false });
// @ts-expect-error the weights were not asked for
without.weights;
const sometimes = additive.forward({ hidden_states }, { need_weights: some }).weights;
same<typeof sometimes, Tensor | undefined>();
const left = additive.forward({ hidden_states }, { resident: true });
same<typeof left.weights, ResidentTensor>();
additive.forward({ hidden_states: left.output });
const error: number = additive.forward({ hidden_states }, { round: 'bfloat16' }).rounding_error.relative;
const compared: number = additive.forward({ hidden_states }, { compare: true }).rounding_error.max_absolute;
// @ts-expect-error nothing was rounded
additive.forward({ hidden_states }).rounding_error;
// @ts-expect-error a misspelt option beside a right one
additive.forward({ hidden_states }, { need_weights: false, residant: true });
additive.forward({ hidden_states }, { progress: (done) => done < 0.5 });

// A KV cache.
const decoder = scope.create({ layer: 'decoder', num_layers: 2 });
same<typeof decoder, Model<{ readonly layer: 'decoder'; readonly num_layers: 2 }>>();
const stepped = decoder.step({ tokens, mask }, { need_weights: false });
same<typeof stepped, { output: Tensor }>();
// @ts-expect-error the cache is the model's
decoder.step({ tokens, past_keys: hidden_states });
// @ts-expect-error without a past there is none to give
decoder.forward({ tokens, past_keys: hidden_states });
const later = scope.create({ layer: 'decoder', past_len: 4 });
later.forward({ tokens, past_keys: hidden_states, past_values: hidden_states });

// A config with a name.
const defined = defineConfig({ layer: 'additive_scorer', batch_size: 2, output: 'pooled' });
same<typeof defined.layer, 'additive_scorer'>();
scope.create(defined).forward({ hidden_states }).weights.shape;
scope.create({ ...defined, batch_size: 4 }).forward({ hidden_states }).weights.shape;
// @ts-expect-error a misspelt field
defineConfig({ layer: 'additive_scorer', hiden_size: 2 });
const annotated: Config = { layer: 'decoder', num_layers: 2 };
scope.create(annotated).step({ tokens });
const own: ConfigOf<'decoder'> = annotated;
const { config } = scope.estimate({ layer: 'linear_scorer', hidden_size: 64 });
same<typeof config.output, 'pooled'>();
same<typeof config.bias, true>();
same<typeof config.hidden_size, number>();
scope.create(config).forward({ hidden_states }).weights.shape;
config.hidden_size = 32;

// A config whose layer TypeScript has made a string of: each field must be one of some layer, of its type.
const plain = { layer: 'additive_scorer', batch_size: 32, dtype: 'bfloat16', bias: true, output: 'weights' };
scope.pytorch(plain);
scope.runBytes(plain);
const general = scope.estimate(plain);
same<typeof general, Estimate>();
const loose = scope.create(plain);
same<typeof loose, Model>();
const found = loose.forward({ hidden_states }).weights;
same<typeof found, Tensor | undefined>();
for (const layer of ['linear_scorer', 'decoder']) scope.estimate({ layer, batch_size: 2 });
const misspelt = { layer: 'additive_scorer', hiden_size: 64 };
// @ts-expect-error no layer has this field
scope.estimate(misspelt);
const wrong = { layer: 'additive_scorer', hidden_size: '64' };
// @ts-expect-error a size is a number
scope.create(wrong);
// @ts-expect-error also where the layer is not known
for (const layer of ['linear_scorer', 'decoder']) scope.estimate({ layer, bach_size: 2 });

// Names of layers.
const name: LayerName = scope.layers()[0].name;
scope.estimate({ layer: name });
scope.estimate({ layer: name, batch_size: 2 });
// @ts-expect-error there is no such layer
const none: LayerName = 'lstm';

// Models of one layer or of any.
const keep: Model<ConfigOf<'decoder'>> = decoder;
const any: Model = additive;
any.forward({ whatever: hidden_states });
// @ts-expect-error an additive scorer is no decoder
const other: Model<ConfigOf<'decoder'>> = additive;
const given: Inputs<ConfigOf<'additive_scorer'>> = { hidden_states, mask };
const step: StepInputs<ConfigOf<'decoder'>> = { tokens };
const gave: Results<ConfigOf<'additive_scorer'>> = additive.forward(given);
function run<C extends Config>(model: Model<C>, inputs: Inputs<C>): Tensor | ResidentTensor {
  return model.forward(inputs).output;
}
run(additive, { hidden_states });

export { compared, error, found, gave, keep, none, other, own, perhaps, sometimes, step };
