// A whole file of PyTorch that gives the numbers of a run: the layer's class, the weights and the inputs of the same
// seeds, and what the page shows printed. No DOM.

import { DRAWN, inputSeed, ownNumbers } from './inputs.js';
import { RANDOM, patternOf } from './patterns.js';
import { maskPython } from './mask.js';

export const SHOWN_VALUES = 6;
const DECIMALS = 6;

/** The first values of a result, as the page shows them. @param {{ data: Float32Array }} output */
export const shownValues = ({ data }) => Array.from(data.subarray(0, SHOWN_VALUES), (value) => value.toFixed(DECIMALS));

/**
 * @param {string} source the layer's classes and their imports, `torch` among them
 * @param {{ inputs: import('./inputs.js').Input[], masks: import('./mask.js').MaskPlane[] }} run its inputs, and the
 *   masks that it takes
 * @param {{ seed: number, masks: import('./mask.js').Masks, className: string,
 *   given?: import('./inputs.js').Given }} how `masks` as they are painted; `className` of the layer
 */
export function pythonScript(source, { inputs, masks }, { seed, masks: painted, className, given = DRAWN }) {
  const hiding = masks.filter(({ name }) => painted[name]);
  const names = [...inputs.map(({ name }) => name), ...hiding.map(({ name }) => `${name}=${name}`)].join(', ');
  return [
    source.trimEnd(),
    '',
    '',
    `torch.manual_seed(${seed})`,
    `module = ${className}().eval()  # these weights; without dropout`,
    ...inputs.flatMap((input, index) => inputInPython(input, inputSeed(seed, index), given)),
    ...hiding.flatMap(({ name, shape }) => maskPython(name, painted[name], shape)),
    'with torch.no_grad():',
    `    results = module(${names})`,
    'result = results if torch.is_tensor(results) else results[0]',
    `print("  ".join(f"{value:.${DECIMALS}f}" for value in result.flatten()[:${SHOWN_VALUES}].tolist()))`,
    ''
  ].join('\n');
}

/** @param {import('./inputs.js').Input} input @param {number} seed @param {import('./inputs.js').Given} given */
function inputInPython(input, seed, given) {
  const { name, shape, integer } = input;
  const own = integer ? null : ownNumbers(name, shape, given);
  if (own) return [`${name} = torch.tensor(${rowsInPython(own)}).expand(${shape.join(', ')})`];
  const pattern = integer ? undefined : patternOf(given.pattern);
  return [`torch.manual_seed(${seed})`, ...(pattern ?? RANDOM).python(name, shape, drawnInPython(input))];
}

/** @param {number[][]} rows */
const rowsInPython = (rows) => `[${rows.map((row) => `[${row.map(floatInPython).join(', ')}]`).join(', ')}]`;

/** `1.0` for 1: of whole numbers alone PyTorch would make a tensor of integers. @param {number} value */
function floatInPython(value) {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** @param {import('./inputs.js').Input} input */
const drawnInPython = ({ shape, integer, limit }) =>
  integer
    ? `torch.randint(${limit}, (${shape.join(', ')}${shape.length === 1 ? ',' : ''}))`
    : `torch.randn(${shape.join(', ')})`;
