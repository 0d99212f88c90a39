// The first screen before any script: the three layers as they are when they have learned.

import { Asked, Learning, SIDES } from '../../../plain/attention-or-dense/minute-layers.js';
import { atFirst, screenOf } from '../../../plain/attention-or-dense/minute-screen.js';

import { minuteView } from './view.js';

const nothingHappens = () => {};

/** @param {import('../../../lib/index.js').Attnscope} scope */
export function staticMinute(scope) {
  const trained = SIDES.map((variant) => learned(scope, variant));
  const [{ examples }] = trained;
  const asking = atFirst(examples);
  return minuteView(screenOf(trained, asking), {
    ...{ choose: nothingHappens, nudge: nothingHappens, tryOut: nothingHappens },
    ...{ restore: nothingHappens, next: nothingHappens, train: nothingHappens }
  });
}

/** @param {import('../../../lib/index.js').Attnscope} scope @param {typeof SIDES[0]} variant */
function learned(scope, variant) {
  const learning = new Learning(scope, variant);
  const untrained = learning.snapshot();
  while (!learning.done) learning.next();
  const made = {
    asked: new Asked(scope, variant),
    untrained,
    latest: learning.snapshot(),
    examples: learning.examples(),
    chance: learning.chance
  };
  learning.dispose();
  return made;
}
