// Every way in which an error leaves the core, each as a call that must throw.

/** @typedef {import('../js/inside.js').Inside} Inside */
/**
 * @typedef {{ name: string, call: (round: number) => unknown, error: string, before?: () => () => void }} Case `error`:
 *   its name; `before` prepares what the calls need, and returns what undoes that
 */

const config = { layer: 'additive_scorer', batch_size: 2, seq_len: 3, hidden_size: 4, attn_dim: 2 };
const most = 2 ** 31 - 1;
const uncountable = {
  layer: 'encoder',
  batch_size: most,
  seq_len: most,
  max_positions: most,
  hidden_size: most,
  num_heads: 1,
  num_layers: most,
  intermediate_size: most
};
const cached = {
  layer: 'grouped_query_attention',
  batch_size: 1,
  seq_len: 3,
  hidden_size: 4,
  num_heads: 2,
  num_kv_heads: 1
};
const hidden_states = { data: new Float32Array(24), shape: [2, 3, 4] };
const one = { hidden_states: { data: new Float32Array(4), shape: [1, 1, 4] } };

class Mine extends Error {
  name = 'Mine';
}
const mine = () => {
  throw new Mine('thrown by the caller');
};
const inGetter = (/** @type {string} */ name) => Object.defineProperty({}, name, { enumerable: true, get: mine });

/**
 * The clock of a core whose every look at it is 20 ms after the one before: `progress` is called as often as can be.
 * @returns {() => void} puts the clock right
 */
function hurry() {
  let now = 0;
  Object.defineProperty(performance, 'now', { value: () => (now += 20), configurable: true });
  return () => void Reflect.deleteProperty(performance, 'now');
}

/** More than a core has while nothing large is alive. */
const tooLarge = new Float32Array(2 ** 25);

/** Lets a memory grow no further. @param {WebAssembly.Memory} memory @returns {() => void} lets it grow again */
function full(memory) {
  memory.grow = () => {
    throw new RangeError('no more');
  };
  return () => void Reflect.deleteProperty(memory, 'grow');
}

/**
 * @param {Inside} inside
 * @returns {{ cases: Case[], dispose: () => void }}
 */
export function errorCases({ scope, memory }) {
  const model = scope.create(config);
  const stepping = scope.create(cached);
  const forward = (/** @type {any} */ inputs, /** @type {any} */ options) => () => model.forward(inputs, options);
  const state = model.stateDict();
  const limited = () => full(memory);
  /** @type {Case[]} */
  const cases = [
    { name: 'a field out of range', call: () => scope.estimate({ ...config, seq_len: 0 }), error: 'RangeError' },
    {
      name: 'a field that is unknown',
      call: () => scope.pytorch(/** @type {any} */ ({ ...config, seqlen: 1 })),
      error: 'RangeError'
    },
    { name: 'a layer too large to count', call: () => scope.estimate(uncountable), error: 'RangeError' },
    {
      name: 'a layer too large to run',
      call: () => scope.create({ ...config, batch_size: 2 ** 20, seq_len: 2 ** 20 }),
      error: 'RangeError'
    },
    { name: 'a wrong option', call: () => scope.create(config, { seed: -1 }), error: 'RangeError' },
    { name: 'a wrong shape', call: () => scope.randn([0]), error: 'RangeError' },
    { name: 'a wrong bound', call: () => scope.randint(0, [1]), error: 'RangeError' },
    {
      name: 'a tensor that does not fit',
      call: forward({ hidden_states: { data: hidden_states.data, shape: [2, 4, 3] } }),
      error: 'RangeError'
    },
    { name: 'a tensor that is none', call: () => scope.tensor(hidden_states.data, [5]), error: 'RangeError' },
    { name: 'a step without a cache', call: () => model.step({ hidden_states }), error: 'RangeError' },
    { name: 'a state dict that lacks a weight', call: () => model.loadStateDict({}), error: 'RangeError' },
    {
      name: 'a getter of a config',
      call: () => scope.estimate(Object.assign(inGetter('seq_len'), { layer: 'linear_scorer' })),
      error: 'Mine'
    },
    { name: 'a getter of options', call: () => scope.randn([1], inGetter('seed')), error: 'Mine' },
    { name: 'a getter of a tensor', call: forward({ hidden_states: inGetter('shape') }), error: 'Mine' },
    {
      name: 'a getter of a state dict',
      call: () => model.loadStateDict({ ...state, 'score.bias': inGetter('data') }),
      error: 'Mine'
    },
    { name: 'a trap of a shape', call: () => scope.randn(new Proxy([1], { get: mine })), error: 'Mine' },
    {
      name: 'a progress that stops',
      call: forward({ hidden_states }, { progress: () => false }),
      error: 'AbortError',
      before: hurry
    },
    {
      name: 'a progress that throws',
      call: forward({ hidden_states }, { progress: mine }),
      error: 'Mine',
      before: hurry
    },
    {
      name: 'a progress that is refused',
      call: forward({ hidden_states }, { progress: () => scope.randn([0]) }),
      error: 'RangeError',
      before: hurry
    },
    {
      name: 'a run by the reference loops that stops, or that this build does not have',
      call: forward({ hidden_states }, { reference: true, progress: () => false }),
      error: scope.build.name === 'reference' ? 'AbortError' : 'RangeError',
      before: hurry
    },
    {
      name: 'a step that stops',
      call: () => stepping.step(one, { progress: () => false }),
      error: 'AbortError',
      before: hurry
    },
    {
      name: 'no memory for a tensor',
      call: () => scope.tensor(tooLarge, [tooLarge.length]),
      error: 'RangeError',
      before: limited
    },
    {
      name: 'no memory for random numbers',
      call: () => scope.randn([tooLarge.length]),
      error: 'RangeError',
      before: limited
    },
    {
      name: 'no memory for a model',
      call: () => scope.create({ layer: 'dense', batch_size: 1, hidden_size: 4096, out_features: 8192 }),
      error: 'RangeError',
      before: limited
    }
  ];
  return { cases, dispose: () => [model, stepping].forEach((one) => one.dispose()) };
}

/**
 * Makes the call throw so many times.
 * @param {Case} one
 * @param {number} count
 */
export function throwOften({ name, call, error: expected, before }, count) {
  const after = before?.();
  try {
    for (let round = 0; round < count; round++) {
      try {
        call(round);
      } catch (error) {
        if (/** @type {Error} */ (error).name === expected) continue;
        throw new Error(`${name}, round ${round}: ${error}`, { cause: error });
      }
      throw new Error(`${name}, round ${round}: was accepted`);
    }
  } finally {
    after?.();
  }
}
