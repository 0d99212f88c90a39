// For TypeScript from 5.7 on, with the newest `lib`: buffers that nobody shares, Float16Array, Symbol.dispose.

import { open } from 'attnscope';

const scope = await open();
using model = scope.create({ layer: 'linear_scorer' });
const shape = [32, 128, 768] as const;
const { output, weights } = model.forward({ hidden_states: scope.randn(shape) });

// What takes no shared memory takes results.
const sent: Float32Array<ArrayBuffer>[] = [output.data, weights.data, scope.randn([2]).data];
const drawn: Int32Array<ArrayBuffer> = scope.randint(9, [2]).data;
new Blob(sent);
new Blob([drawn]);
structuredClone(output, { transfer: [output.data.buffer] });

// Inputs may lie in shared memory.
const shared = new Float32Array(new SharedArrayBuffer(12));
model.forward({ hidden_states: { data: shared, shape } });

using halves = scope.tensor(new Float16Array(3), [3]);
const copied: Float32Array<ArrayBuffer> = halves.data;
model.loadStateDict({ 'score.weight': { data: new Float16Array(768), shape: [1, 768] }, 'score.bias': halves });

export { copied };
