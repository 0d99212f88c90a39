// The README's JavaScript examples, in their order. The text block after one is what it must print.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project } from '../../tools/folders.js';

export const readme = readFileSync(join(project, 'README.md'), 'utf8');

const blocks = readme.matchAll(/^```js\n([^]*?)^```\n(?:\s*^```text\n([^]*?)^```$)?/gm);

/** @type {{ name: string, code: string, printed: string | undefined }[]} */
export const examples = [...blocks].map(([, code, printed], i) => ({ name: `example ${i + 1}`, code, printed }));
