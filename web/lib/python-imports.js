// The imports of printed Python, where lines that follow a printed module need more than the module itself.

import { refusal } from './options.js';
import { isPlain, show } from './values.js';

export const CHECKPOINT = 'from torch.utils.checkpoint import checkpoint';

/** In their order, those of Python itself first. */
const GROUPS = [
  ['import functools', 'import math', 'import sys'],
  [
    'import torch',
    'import torch.nn.functional as F',
    'from torch import nn',
    CHECKPOINT,
    'from torch.utils.flop_counter import FlopCounterMode'
  ]
];
const LINES = GROUPS.flat();

/**
 * Parts `imports`, lines of LINES, from the other options of pytorch(), which the core checks.
 * @param {any} options what is no plain object is for the core to refuse
 * @returns {{ imports: string[], core: any }}
 */
export function partImports(options) {
  if (!isPlain(options)) return { imports: [], core: options };
  const { imports = [], ...core } = /** @type {Record<string, any>} */ ({ __proto__: null, ...options });
  const wrong = Array.isArray(imports) ? imports.filter((line) => !LINES.includes(line)) : [imports];
  if (wrong.length > 0)
    throw refusal('imports', `imports must be an array of ${LINES.map(show).join(', ')}, got ${show(wrong[0])}`);
  return { imports, core };
}

/**
 * A printed module with further imports among its own.
 * @param {string} source as the core prints it
 * @param {readonly string[]} needed lines of LINES
 */
export function withImports(source, needed) {
  const end = source.indexOf('\n\n\n');
  const lines = new Set([...source.slice(0, end).split('\n').filter(Boolean), ...needed]);
  const groups = GROUPS.map((group) => group.filter((line) => lines.delete(line)));
  if (lines.size) throw new Error(`no place is known for ${[...lines].join(', ')}`);
  const texts = groups.filter(({ length }) => length).map((group) => group.join('\n'));
  return texts.join('\n\n') + source.slice(end);
}
