// The module's declarations and the examples of the README and of docs/ in the oldest and the newest TypeScript, and
// the declarations as bundlers find them.

import { newest, oldest, own, testDeclarations, testExamples } from './compilers.js';

testDeclarations(own, ['bundlers']);
for (const compiler of [oldest, newest]) {
  testDeclarations(compiler, ['Node', 'bundlers']);
  testExamples(compiler);
}
