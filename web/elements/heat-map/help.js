// What there is to do with a map, in words.

/**
 * @param {{ touch: boolean, fixed: boolean, paints: boolean, axis: string, explains: boolean }} map `paints`: whether a
 *   touch does; `axis`: of the planes beside it, '' for none
 */
export function helpText({ touch, fixed, paints, axis, explains }) {
  const keys = `By keyboard: arrow keys, Home and End move${fixed ? '' : ', Space masks'}${explains ? ', Enter pins, Escape unpins' : ''}.`;
  const what = `mask cells${axis ? `, in every ${axis}` : ''}, or to open masked ones.`;
  const value = explains ? 'for the numbers that make it' : 'for its value';
  if (touch && fixed) return `Touch a cell ${value}. ${keys}`;
  if (touch && paints) return `Touch or drag to ${what} ${keys}`;
  if (touch) return `Touch a cell ${value}, or choose Paint to ${what} ${keys}`;
  return `Point at a cell ${value}${explains ? ', click to pin it' : ''}. ${fixed ? '' : `Drag to ${what} `}${keys}`;
}
