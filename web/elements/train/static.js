// The training page before any script.

import { checkSettings } from '../../plain/train/settings.js';
import { trainView } from './view.js';

const nothingHappens = () => {};

/** @param {import('../../lib/index.js').Attnscope} scope */
export function staticTrain(scope) {
  const layers = scope.layers();
  const names = [
    'set',
    'play',
    'pause',
    'step',
    'reset',
    'look',
    'table',
    'saveWeights',
    'saveRun',
    'open',
    'openExample',
    'saveExample',
    'drag'
  ];
  return trainView(
    {
      ...{ layers, values: {}, checked: checkSettings(scope, layers, {}), playing: false, step: 0, rate: 0 },
      ...{
        gradientNorm: 0,
        failure: '',
        said: '',
        settings: true,
        tabled: false,
        shown: null,
        curves: null,
        map: null
      },
      file: { table: null, reading: '', error: '', note: '', over: false }
    },
    /** @type {any} */ (Object.fromEntries(names.map((name) => [name, nothingHappens])))
  );
}
