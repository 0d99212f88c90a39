// A seeded mixture of everything that a scope can be asked, good and bad.

import assert from 'node:assert/strict';
import { randomNumbers } from '../random.js';
import { configs, randomInputs, smallConfigs } from '../js/support.js';
import { errorCases, throwOften } from './errors.js';

const MOST_ALIVE = 8; // models, and tensors
const bigErrors = /^no memory|stops|progress/; // these take a thousand times as long as others

/**
 * @param {import('../js/inside.js').Inside} inside
 * @param {number} count calls
 * @param {number} seed
 */
export function mix(inside, count, seed) {
  const { scope } = inside;
  const next = randomNumbers(seed);
  const pick = (/** @type {any[]} */ list) => list[Math.floor(next() * list.length)];
  const errors = errorCases(inside);
  const quick = errors.cases.filter(({ name }) => !bigErrors.test(name));
  const slow = errors.cases.filter(({ name }) => bigErrors.test(name));
  /** @type {any[]} */
  const models = [];
  /** @type {any[]} */
  const tensors = [];
  const replaceOne = (/** @type {any[]} */ list, /** @type {any} */ fresh) => {
    list.push(fresh);
    if (list.length > MOST_ALIVE) list.splice(Math.floor(next() * list.length), 1)[0].dispose();
  };
  const withModel = (/** @type {(one: any) => void} */ work) => models.length > 0 && work(pick(models));
  const actions = [
    () => scope.estimate(pick(configs)),
    () => scope.pytorch(pick(smallConfigs)),
    () => scope.runBytes(pick(configs), { need_weights: pick([true, false]) }),
    () => {
      const config = pick(smallConfigs);
      const model = scope.create(config, {
        seed: Math.floor(next() * 9),
        storage: pick(['float32', 'float16', 'bfloat16', 'int8'])
      });
      replaceOne(models, { model, inputs: randomInputs(config, { mask: true }), dispose: () => model.dispose() });
    },
    () =>
      withModel(({ model, inputs }) =>
        model.forward(
          inputs,
          pick([
            {},
            { need_weights: false },
            { reference: scope.build.name === 'reference' },
            { compare: true },
            { round: 'bfloat16' },
            { progress() {} }
          ])
        )
      ),
    () =>
      withModel(({ model, inputs }) =>
        Object.values(model.forward(inputs, { resident: true })).forEach((tensor) => tensor.dispose())
      ),
    () => withModel(({ model }) => model.loadStateDict(model.stateDict())),
    () => withModel(({ model }) => model.clearCache()),
    () => replaceOne(tensors, scope.tensor(new Float32Array(60).fill(next()), [3, 4, 5])),
    () => tensors.length > 0 && pick(tensors).data,
    () => scope.randn([1 + Math.floor(next() * 99)], { seed: Math.floor(next() * 99) }),
    () => scope.randint(9, [1 + Math.floor(next() * 99)]),
    () => throwOften(pick(quick), 1),
    () => throwOften(pick(quick), 1)
  ];
  for (let i = 0; i < count; i++) {
    if (i % 500 === 0) throwOften(pick(slow), 1);
    else pick(actions)();
  }
  [...models, ...tensors, errors].forEach((one) => one.dispose());
}

/** What a scope answers to a fixed set of questions. @param {import('../../web/lib/index.js').Attnscope} scope */
export function answers(scope) {
  return smallConfigs.map((config) => {
    const model = scope.create(config, { seed: 1 });
    try {
      return [
        scope.estimate(config),
        scope.pytorch(config),
        scope.runBytes(config),
        model.forward(randomInputs(config, { mask: true }))
      ];
    } finally {
      model.dispose();
    }
  });
}

/**
 * Runs `work` twice, and holds memory and stack afterwards against what they were: the first time makes whatever is
 * made once.
 * @param {import('../js/inside.js').Inside} inside
 * @param {(time: number) => void} work
 */
export function staysAsItWas({ memory, stack }, work) {
  work(0);
  const before = { bytes: memory.buffer.byteLength, stack: stack() };
  work(1);
  assert.deepEqual({ bytes: memory.buffer.byteLength, stack: stack() }, before);
}
