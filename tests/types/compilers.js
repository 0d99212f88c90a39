// The TypeScript compilers that the declarations are held against: the oldest, our own and the newest.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../../tools/folders.js';

export const compilers = ['typescript-5.4', 'typescript', 'typescript-7'].map((folder) => {
  const home = join(project, 'node_modules', folder);
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  return { name: `TypeScript ${version}`, tsc: join(home, 'bin/tsc'), buffers: folder !== 'typescript-5.4' };
});
