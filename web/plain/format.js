// Numbers as the page prints them: counts grouped and exact, bytes in the binary unit that they are.

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const THIN = '\u202f';

/** `98,561`; exact for integers below 2^53. @param {number} count */
export const formatCount = (count) =>
  Math.abs(count) > Number.MAX_SAFE_INTEGER ? scientific(count, 3) : grouped.format(count);

/** `1 head`, `12 heads`. @param {number} count @param {string} thing */
export const formatThings = (count, thing) => `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`;

/** `97 %`. @param {number} share */
export const formatPercent = (share) => `${Math.round(100 * share)}${THIN}%`;

/**
 * Three significant digits without an exponent where that is readable: `0.0123`, `12.3`, `1,230`.
 * @param {number} value
 */
export function formatSignificant(value) {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1000) return grouped.format(value);
  if (size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(3)));
}

/** The same with a minus sign below 0: `−0.0123`. @param {number} value */
export const formatSigned = (value) => formatSignificant(value).replace(/^-/, '−');

/** From here on no letter helps. */
const MOST_LETTERS = 1e19;
const SCALES = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M']
];

/**
 * A count in at most five characters and its letter: 403177472 is `{ number: '403.2', unit: 'M' }`. Below a million the
 * count stays exact, because there the exact figure is as short; from 10¹⁹ on it is a power of ten.
 * @param {number} count
 */
export function splitCount(count) {
  if (count >= MOST_LETTERS) return { number: scientific(count, 3), unit: '' };
  for (const [scale, unit] of SCALES) {
    if (count >= Number(scale)) return { number: digits(count / Number(scale)), unit: String(unit) };
  }
  return { number: formatCount(count), unit: '' };
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB', 'ZiB', 'YiB'];

/** `{ number: '12.4', unit: 'MiB' }`; 1 KiB is 1024 B. @param {number} bytes */
export function splitBytes(bytes) {
  let value = bytes;
  let step = 0;
  while (value >= 1024 && step < BYTE_UNITS.length - 1) {
    value /= 1024;
    step += 1;
  }
  if (value >= 1e5) return { number: scientific(value, 3), unit: BYTE_UNITS[step] };
  return { number: step === 0 ? formatCount(value) : digits(value), unit: BYTE_UNITS[step] };
}

/** `3.403 × 10³⁸`. @param {number} value @param {number} decimals */
export function scientific(value, decimals) {
  const [digits, exponent] = value.toExponential(decimals).split('e');
  return `${digits} × 10${superscript(Number(exponent))}`;
}

/** `³⁸`. @param {number} exponent */
export const superscript = (exponent) =>
  [...String(exponent)].map((digit) => (digit === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)])).join('');

/** `12.4 MiB`. @param {number} bytes */
export function formatBytes(bytes) {
  const { number, unit } = splitBytes(bytes);
  return `${number}${THIN}${unit}`;
}

/** `403.2 M`, `98,561`. @param {number} count */
export function formatShort(count) {
  const { number, unit } = splitCount(count);
  return unit ? `${number}${THIN}${unit}` : number;
}

/** `32 × 128 × 768`. @param {readonly number[]} shape */
export const formatShape = (shape) => (shape.length ? shape.map(formatCount).join(' × ') : 'scalar');

/** `[32, 128, 768]`, as PyTorch prints it. @param {readonly number[]} shape */
export const formatList = (shape) => `[${shape.join(', ')}]`;

/** `4.81 ms`, `512 µs`, `1.20 s`. @param {number} seconds */
export function formatSeconds(seconds) {
  if (seconds >= 1) return `${digits(seconds)}${THIN}s`;
  if (seconds >= 1e-3) return `${digits(seconds * 1e3)}${THIN}ms`;
  return `${digits(seconds * 1e6)}${THIN}µs`;
}

/** Three to four significant digits, trailing zeros kept off. @param {number} value */
function digits(value) {
  if (value >= 1000) return formatCount(value);
  const decimals = value >= 100 ? 1 : 2;
  return value.toFixed(decimals).replace(/\.?0+$/, '');
}
