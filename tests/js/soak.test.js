// Thousands of errors of every kind, and of calls of everything, leave a core as it was. `npm run soak` makes millions.

import assert from 'node:assert/strict';
import test from 'node:test';
import { errorCases, throwOften } from '../soak/errors.js';
import { answers, mix, staysAsItWas } from '../soak/mix.js';
import { openInside } from './inside.js';
import { caseSeed } from '../seed.js';
import { builds } from './support.js';

const ERRORS = 400; // of each kind; a leak shows in the stack after the first
const CALLS = 1500;

for (const build of builds) {
  for (const threads of [1, 2]) {
    const inside = await openInside({ build, threads });
    const { name } = inside.scope.build;
    const expected = answers(inside.scope);
    const { cases, dispose } = errorCases(inside);
    for (const one of cases) {
      test(`${name}: ${one.name}, ${2 * ERRORS} times, leaves memory and stack as they were`, () => {
        staysAsItWas(inside, () => throwOften(one, ERRORS));
      });
    }
    test(`${name}: so do ${2 * CALLS} calls of everything, good and bad, and after all of that it answers as before`, () => {
      dispose();
      staysAsItWas(inside, (time) => mix(inside, CALLS, caseSeed(0) + time));
      assert.deepEqual(answers(inside.scope), expected);
      inside.scope.dispose();
    });
  }
}
