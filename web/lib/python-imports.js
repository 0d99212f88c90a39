// The imports of printed Python, where lines that follow a printed module need more than the module itself.

export const CHECKPOINT = 'from torch.utils.checkpoint import checkpoint';

/** In their order, those of Python itself first. */
const GROUPS = [
  ['import functools', 'import math', 'import sys'],
  ['import torch', 'import torch.nn.functional as F', 'from torch import nn', CHECKPOINT]
];

/**
 * A printed module with further imports among its own.
 * @param {string} source as `pytorch()` prints it without its self-check
 * @param {readonly string[]} needed lines as in GROUPS
 */
export function withImports(source, needed) {
  const end = source.indexOf('\n\n\n');
  const lines = new Set([...source.slice(0, end).split('\n').filter(Boolean), ...needed]);
  const groups = GROUPS.map((group) => group.filter((line) => lines.delete(line)));
  if (lines.size) throw new Error(`no place is known for ${[...lines].join(', ')}`);
  const texts = groups.filter(({ length }) => length).map((group) => group.join('\n'));
  return texts.join('\n\n') + source.slice(end);
}
