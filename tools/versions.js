// Version numbers: read from what programs and headers say, and compared.

/**
 * The first version number in a text, such as [6, 0, 5] in `emcc (Emscripten ...) 6.0.5 ()`, or null.
 * @param {string} text
 * @returns {number[] | null}
 */
export function parseVersion(text) {
  const match = /(?<![\w.])v?(\d+(?:\.\d+)+)/.exec(text);
  return match && match[1].split('.').map(Number);
}

/**
 * The version that a header defines as `NAME_VERSION_MAJOR`, `_MINOR` and `_PATCH`, or null.
 * @param {string} header the header's text
 * @param {string} name such as XTENSOR
 * @returns {number[] | null}
 */
export function macroVersion(header, name) {
  const parts = ['MAJOR', 'MINOR', 'PATCH'].map((part) => {
    const match = new RegExp(`^\\s*#\\s*define\\s+${name}_VERSION_${part}\\s+(\\d+)`, 'm').exec(header);
    return match ? Number(match[1]) : NaN;
  });
  return parts.some(Number.isNaN) ? null : parts;
}

/**
 * Whether a version is the least one that will do, or newer. Missing parts count as 0.
 * @param {number[]} version
 * @param {number[]} least
 */
export function atLeast(version, least) {
  for (let i = 0; i < least.length; i++) {
    const difference = (version[i] ?? 0) - least[i];
    if (difference !== 0) return difference > 0;
  }
  return true;
}
