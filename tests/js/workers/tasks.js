// A worker file as a user writes one: tasks of its own beside the library's calls.

import { serve } from 'attnscope/worker';

/** The module's and the caller's numbers, kept from call to call. */
const kept = new Float32Array([1, 2, 3]);

serve({
  parameters: (scope, { config }) => scope.estimate(config).parameters,
  async count(scope, { to }, { progress }) {
    for (let i = 1; i <= to; i++) {
      if ((await progress(i)) === false) return `stopped at ${i}`;
    }
    return `counted to ${to}`;
  },
  run(scope, { config, seed }, { progress, transfer }) {
    const model = scope.create(config, { seed });
    try {
      const [{ name, shape }] = model.inputs;
      const { output } = model.forward(
        { [name]: scope.randn(shape) },
        { need_weights: false, progress: (done) => progress({ stage: 'Running', done }) }
      );
      transfer([output.data.buffer]);
      return { output, left: kept };
    } finally {
      model.dispose();
    }
  },
  fails(scope, { what }) {
    if (what === 'string') throw 'no error';
    if (what === 'own')
      throw Object.assign(new TypeError('mine', { cause: new RangeError('its cause') }), { field: 'job', code: 7 });
    return () => 'a function cannot cross';
  },
  exit: () => process.exit(3),
  later(scope, { ms }) {
    setTimeout(() => {
      throw new Error('too late');
    }, ms);
  }
});
