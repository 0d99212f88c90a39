// What a TypeScript user writes. It is only checked: each line under @ts-expect-error must be an error.

import { open, type Config, type Estimate, type Tensor } from 'attnscope';

const scope = await open({ threads: 1 });
const config: Config = { layer: 'additive_scorer', batch_size: 2, seq_len: 3, hidden_size: 4, attn_dim: 5, bias: false };
const estimate: Estimate = scope.estimate(config);
const parameters: number = estimate.parameters;
const model = scope.create(config, { seed: parameters });
const hidden_states: Tensor = scope.randn([2, 3, 4]);
const { output } = model.forward({ hidden_states });
const data: Float32Array = output.data;
model.dispose();
export { data };

// @ts-expect-error a misspelt field
scope.estimate({ layer: 'additive_scorer', hiden_size: 4 });
// @ts-expect-error a field of another layer
scope.estimate({ layer: 'linear_scorer', attn_dim: 4 });
// @ts-expect-error a value of the wrong type
scope.estimate({ layer: 'linear_scorer', batch_size: '2' });
// @ts-expect-error a format that is none
scope.estimate({ layer: 'linear_scorer', dtype: 'float64' });
// @ts-expect-error a layer that is none
scope.estimate({ layer: 'linear' });
// @ts-expect-error an option that is none
await open({ thread: 1 });
// @ts-expect-error a figure that is none
estimate.params;
// @ts-expect-error a tensor without its shape
model.forward({ hidden_states: { data: hidden_states.data } });
