// What a call into the module costs by itself: arguments and results are copied, however small the layer.

import { medianSeconds, timed } from '../../plain/timing.js';

const SECONDS = 0.02;

/**
 * Seconds that a layer of one number takes at the least: what else runs meanwhile only adds to it.
 * @param {import('../../lib/index.js').Attnscope} scope
 */
export function callSeconds(scope) {
  const model = scope.create({ layer: 'mean_pooling', batch_size: 1, seq_len: 1, hidden_size: 1 });
  try {
    const inputs = { hidden_states: { data: new Float32Array(1), shape: [1, 1, 1] } };
    const call = () => model.forward(inputs);
    return medianSeconds(call, timed(call).seconds, { seconds: SECONDS }).least;
  } finally {
    model.dispose();
  }
}
