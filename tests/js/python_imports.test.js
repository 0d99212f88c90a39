// Printed Python with the imports that lines after it need.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { withImports } from '../../web/lib/python-imports.js';

const scope = await open({ threads: 1 });
const config = /** @type {const} */ ({ layer: 'linear_scorer' });

/** @param {string} source */
const importsOf = (source) => source.slice(0, source.indexOf('\n\n\n'));

test('what a module imports and what is needed besides stand once each, those of Python itself first', () => {
  const given = (/** @type {string[]} */ imports) => importsOf(scope.pytorch(config, { self_check: false, imports }));
  assert.equal(given([]), importsOf(scope.pytorch(config, { self_check: false })));
  assert.equal(
    given(['import torch.nn.functional as F', 'import torch', 'import sys']),
    'import sys\n\nimport torch\nimport torch.nn.functional as F\nfrom torch import nn'
  );
});

test('all else of a printed file is as it is without', () => {
  for (const { name } of scope.layers()) {
    const plain = scope.pytorch({ layer: name });
    const more = scope.pytorch({ layer: name }, { imports: ['import functools'] });
    assert.equal(more.slice(more.indexOf('\n\n\n')), plain.slice(plain.indexOf('\n\n\n')));
    assert.equal(importsOf(more), `import functools\n${importsOf(plain)}`);
  }
});

test('an import that has no place is not lost: it is an error', () => {
  assert.throws(
    () => withImports('import numpy as np\nfrom torch import nn\n\n\nclass Layer(nn.Module):\n    pass\n', []),
    new Error('no place is known for import numpy as np')
  );
});
