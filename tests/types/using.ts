// For those whose `lib` has Symbol.dispose.

import { open } from 'attnscope';

const scope = await open();
using model = scope.create({ layer: 'linear_scorer' });
model.stateDict();
