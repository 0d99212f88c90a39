// What gives the numbers of a run in PyTorch, after the text of the PyTorch panel. No DOM.

import { DRAWN, inputSeed, ownNumbers } from './inputs.js';
import { PATTERNS, patternOf } from './patterns.js';
import { maskPython } from './mask.js';

export const SHOWN_VALUES = 6;

/** The first values of a result, as the page shows them. @param {{ data: Float32Array }} output */
export const shownValues = ({ data }) => Array.from(data.subarray(0, SHOWN_VALUES), (value) => value.toFixed(6));

/**
 * @param {{ inputs: import('./inputs.js').Input[], masks: import('./mask.js').MaskPlane[] }} run its inputs, and the
 *   masks that it takes
 * @param {number} seed
 * @param {import('./mask.js').Masks} painted
 * @param {string} className the class of the layer in the PyTorch panel
 * @param {import('./inputs.js').Given} [numbers]
 */
export function pythonLines({ inputs, masks }, seed, painted, className, numbers = DRAWN) {
  const given = masks.filter(({ name }) => painted[name]);
  const names = [...inputs.map(({ name }) => name), ...given.map(({ name }) => `${name}=${name}`)].join(', ');
  const draws = inputs.flatMap((input, index) => [
    `torch.manual_seed(${inputSeed(seed, index)})`,
    ...inputInPython(input, numbers)
  ]);
  return [
    'import torch',
    '',
    `torch.manual_seed(${seed})`,
    `module = ${className}().eval()  # the class of the PyTorch panel, without dropout`,
    ...draws,
    ...given.flatMap(({ name, shape }) => maskPython(name, painted[name], shape)),
    'with torch.no_grad():',
    `    results = module(${names})`,
    'result = results if torch.is_tensor(results) else results[0]',
    `print(result.flatten()[:${SHOWN_VALUES}])`
  ].join('\n');
}

/** @param {import('./inputs.js').Input} input @param {import('./inputs.js').Given} numbers */
function inputInPython(input, numbers) {
  const { name, shape, integer } = input;
  const own = integer ? null : ownNumbers(name, shape, numbers);
  if (own) return [`${name} = torch.tensor(${JSON.stringify(own)}).expand(${shape.join(', ')})`];
  const pattern = (integer ? undefined : patternOf(numbers.pattern)) ?? PATTERNS[0];
  return pattern.python(name, shape, drawnInPython(input));
}

/** @param {import('./inputs.js').Input} input */
const drawnInPython = ({ shape, integer, limit }) =>
  integer
    ? `torch.randint(${limit}, (${shape.join(', ')}${shape.length === 1 ? ',' : ''}))`
    : `torch.randn(${shape.join(', ')})`;
