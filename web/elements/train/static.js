// The training page before any script.

import { checkSettings } from '../../plain/train/settings.js';
import { trainView } from './view.js';

/** Whatever is pressed before there is a script. */
const nothingHappens = /** @type {any} */ (new Proxy({}, { get: () => () => {} }));

/** @param {import('../../lib/index.js').Attnscope} scope */
export function staticTrain(scope) {
  const layers = scope.layers();
  return trainView(
    {
      ...{
        isLive: false,
        repeated: [],
        linked: [],
        layers,
        limit: scope.memoryLimit,
        values: {},
        checked: checkSettings(scope, layers, {}),
        playing: false,
        step: 0,
        rate: 0
      },
      ...{
        gradientNorm: 0,
        failure: '',
        said: '',
        settings: true,
        tabled: false,
        shown: null,
        curves: null,
        map: null,
        ask: null,
        repeat: null
      },
      kept: { runs: [], here: null, current: null, running: false, wanted: false, problem: '' },
      file: { table: null, reading: '', error: '', note: '', over: false }
    },
    nothingHappens
  );
}
