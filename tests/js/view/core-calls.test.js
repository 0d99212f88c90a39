// How often an edit and a redraw call the core.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PANELS } from '../../../web/elements/calculator/panels.js';
import { calculatorView } from '../../../web/elements/calculator/view.js';
import { open } from '../../../web/lib/index.js';
import { comparison } from '../../../web/plain/comparison.js';
import { needsOf } from '../../../web/plain/limits.js';
import { Store } from '../../../web/plain/store.js';

const scope = await open({ threads: 1 });

/** A store, and how often its methods of the core were called since it was asked last. @param {string} layer */
function counted(layer) {
  /** @type {Record<string, number>} */
  let calls = {};
  const counting = new Proxy(scope, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (/** @type {unknown[]} */ ...args) => {
        calls[String(name)] = (calls[String(name)] ?? 0) + 1;
        return value.apply(target, args);
      };
    }
  });
  const take = () => {
    const taken = calls;
    calls = {};
    return taken;
  };
  return { store: new Store(counting, { layer }), take };
}

/** Everything of the page that asks the store for figures. @param {Store} store */
function redraw(store) {
  const actions = { set() {}, calculate() {} };
  const panels = { run: '', charts: '', code: '', importer: '' };
  const layout = {
    panels: PANELS,
    tab: null,
    folded: true,
    open: false,
    live: true,
    root: null,
    see: null,
    choose() {},
    toggle() {},
    bring() {},
    take() {}
  };
  calculatorView(store, actions, panels, { kind: '', said: '', linked: false, export() {} }, layout);
  comparison(store);
  return store.source.module;
}

for (const { name, fields } of scope.layers()) {
  test(`${name}: an edit is estimated once, and each table and chart asks once for its figures`, () => {
    const { store, take } = counted(name);
    assert.deepEqual(take(), { layers: 1, formats: 1, estimate: 1 });
    redraw(store);
    take();
    const size = ['seq_len', 'batch_size'].find((field) => fields.some((known) => known.name === field));
    store.set({ [String(size)]: 9 });
    assert.deepEqual(take(), { estimate: 1 });
    redraw(store);
    const { estimates, ...others } = take();
    const learns = store.estimate.parameters > 0;
    assert.deepEqual(others, { pytorch: 1, ...(learns && { estimate: 1 }) }); // of a step of training
    assert.ok(estimates >= 1 && estimates <= 3, `${estimates} calls for the figures`);
    redraw(store);
    assert.deepEqual(take(), {}, 'what is known is not asked for again');
  });
}

test('an edit that changes no field of the layer asks for no estimate', () => {
  const { store, take } = counted('additive_scorer');
  take();
  const { estimate } = store;
  store.set({ seed: '7' });
  store.set({});
  assert.deepEqual(take(), {});
  assert.deepEqual([store.seed, store.estimate === estimate], [7, true]);
});

test('a seed that the core takes is not drawn with; what the core says of another is said', () => {
  const { store, take } = counted('linear_scorer');
  take();
  for (const seed of [0, '3', 2 ** 53 - 1]) {
    store.set({ seed });
    assert.deepEqual([store.seed, store.seedError], [Number(seed), '']);
    assert.equal(scope.randn([1], { seed: Number(seed) }).data.length, 1);
  }
  assert.deepEqual(take(), {});
  for (const seed of [-1, 1.5, 2 ** 53, 'x', '']) {
    store.set({ seed });
    assert.match(store.seedError, /^seed must be an integer from 0 to 9007199254740991, got /);
    assert.equal(store.seed, 2 ** 53 - 1);
  }
});

test('a run that fits plans one arena, and one that does not offers what the core takes', () => {
  const { store, take } = counted('linear_scorer');
  take();
  const { bytes, fits, offers } = needsOf(store.scope, store.config);
  assert.deepEqual([fits, offers, take()], [true, [], { runBytes: 1 }]);
  assert.equal(bytes, scope.runBytes({ layer: 'linear_scorer' }));
  const large = needsOf(scope, { ...store.config, batch_size: 2 ** 20, seq_len: 512 });
  assert.equal(large.fits, false);
  assert.deepEqual(
    large.offers.map(({ field }) => field),
    ['batch_size']
  );
});
