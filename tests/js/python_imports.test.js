// Printed Python with the imports that lines after it need.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CHECKPOINT, withImports } from '../../web/lib/python-imports.js';

const CLASS = '\n\n\nclass Layer(nn.Module):\n    pass\n';

test('what a module imports and what is needed besides stand once each, those of Python itself first', () => {
  assert.equal(withImports(`from torch import nn${CLASS}`, []), `from torch import nn${CLASS}`);
  assert.equal(
    withImports(`from torch import nn${CLASS}`, ['import torch']),
    `import torch\nfrom torch import nn${CLASS}`
  );
  assert.equal(
    withImports(`import math\n\nimport torch\nfrom torch import nn${CLASS}`, [
      'import torch',
      CHECKPOINT,
      'import sys'
    ]),
    `import math\nimport sys\n\nimport torch\nfrom torch import nn\n${CHECKPOINT}${CLASS}`
  );
});

test('an import that has no place is not lost: it is an error', () => {
  assert.throws(
    () => withImports(`import numpy as np\nfrom torch import nn${CLASS}`, []),
    new Error('no place is known for import numpy as np')
  );
});
