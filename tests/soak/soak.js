// npm run soak: a million errors of every kind, and a million calls of everything, good and bad, of each build, with
// one thread and with two. `npm run soak -- 10000` makes so many instead. A short form is tests/js/soak.test.js.

import assert from 'node:assert/strict';
import { relaxedSimd } from 'wasm-feature-detect';
import { openInside } from '../js/inside.js';
import { errorCases, throwOften } from './errors.js';
import { answers, mix, staysAsItWas } from './mix.js';

const count = Number(process.argv[2] ?? 1e6);
if (!(Number.isInteger(count) && count > 0))
  throw new RangeError(`how often must be a positive integer, got ${process.argv[2]}`);

/**
 * @param {string} what
 * @param {() => void} work
 */
function report(what, work) {
  const start = performance.now();
  work();
  console.log(`${what}: as it was, ${((performance.now() - start) / 1000).toFixed(0)} s`);
}

for (const build of /** @type {const} */ (
  (await relaxedSimd()) ? ['reference', 'simd', 'relaxed'] : ['reference', 'simd']
)) {
  for (const threads of build === 'reference' ? [1] : [1, 2]) {
    const inside = await openInside({ build, threads });
    const { name } = inside.scope.build;
    const expected = answers(inside.scope);
    const { cases, dispose } = errorCases(inside);
    for (const one of cases)
      report(`${name}, ${count} times ${one.name}`, () => staysAsItWas(inside, () => throwOften(one, count / 2)));
    dispose();
    report(`${name}, ${count} calls of everything`, () => staysAsItWas(inside, (time) => mix(inside, count / 2, time)));
    assert.deepEqual(answers(inside.scope), expected);
    inside.scope.dispose();
  }
}
