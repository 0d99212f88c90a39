// The text of a file, in the encoding that its bytes show: UTF-8, UTF-16 or Windows-1252, which holds Latin-1.

/** Bytes that show an encoding: the first of a file are as those behind them. */
const LOOKED_AT = 4096;
/** Control characters that text has none of, unlike tabs, line ends, form feeds and the end of a DOS file. */
const CONTROL = /[\0-\x08\x0e-\x19\x1b-\x1f]/;

/**
 * A file's text with its line ends as `\n`, and a sentence on its encoding unless that is UTF-8.
 * @param {string} name of the file @param {Uint8Array} bytes
 * @returns {{ text: string, remark: string }}
 * @throws {RangeError} for binary data and other encodings
 */
export function decoded(name, bytes) {
  const { text, remark } = decodedAs(name, bytes);
  if (text.includes('\0')) throw new RangeError(`${name} is no text but binary data`);
  return { text: text.replace(/\r\n?/g, '\n'), remark };
}

/** @param {string} name @param {Uint8Array} bytes */
function decodedAs(name, bytes) {
  const order = byteOrder(bytes);
  const text = strictly(order || 'utf-8', bytes);
  if (order && text !== null && !CONTROL.test(text)) return { text, remark: 'The file is in UTF-16.' };
  if (!order && text !== null) return { text, remark: '' };
  const western = new TextDecoder('windows-1252').decode(bytes);
  if (order || CONTROL.test(western)) throw new RangeError(`${name} is no text but binary data`);
  if (isDamaged(bytes) || !isWestern(western))
    throw new RangeError(`${name} is not in UTF-8; save it in that encoding`);
  return { text: western, remark: 'The file is not in UTF-8 and is read as Latin-1 (Windows-1252).' };
}

/** @param {string} encoding @param {Uint8Array} bytes @returns {string | null} null where the bytes are not in it */
function strictly(encoding, bytes) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * The UTF-16 that a file is in: by its byte-order mark, or by the zeros beside its ASCII characters. '' for none.
 * @param {Uint8Array} bytes
 */
function byteOrder(bytes) {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  const zeros = [0, 0];
  const seen = bytes.subarray(0, LOOKED_AT);
  seen.forEach((byte, at) => (zeros[at % 2] += Number(byte === 0)));
  const many = seen.length / 10;
  if (zeros[0] === 0 && zeros[1] > many) return 'utf-16le';
  return zeros[1] === 0 && zeros[0] > many ? 'utf-16be' : '';
}

/** Whether bytes are UTF-8 with a few wrong ones: most characters above ASCII are whole. @param {Uint8Array} bytes */
function isDamaged(bytes) {
  const characters = new TextDecoder().decode(bytes).match(/[^\0-\x7f]/gu) ?? [];
  return characters.filter((one) => one !== '\ufffd').length > characters.length / 2;
}

/** Bytes that Windows-1252 has no character for, and the Japanese Shift-JIS many. */
const NO_WESTERN = /[\x81\x8d\x8f\x90\x9d]/;
/** A character above ASCII beside an ASCII letter, or alone. */
const WESTERN = /(?<=[A-Za-z])[^\0-\x7f]|[^\0-\x7f](?=[A-Za-z])|(?<![^\0-\x7f])[^\0-\x7f](?![^\0-\x7f])/g;

/**
 * Whether a text that was read as Windows-1252 is in it: letters with accents stand beside ASCII letters or alone;
 * Chinese, Korean, Cyrillic and Greek letters come in rows.
 * @param {string} text
 */
const isWestern = (text) => !NO_WESTERN.test(text) && count(text, WESTERN) > count(text, /[^\0-\x7f]/g) / 2;

/** @param {string} text @param {RegExp} characters */
const count = (text, characters) => text.match(characters)?.length ?? 0;
