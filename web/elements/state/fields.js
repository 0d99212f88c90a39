// The registry's fields as text and back. Form, URL and validation all go through here; the rules themselves (ranges,
// divisibility) live in the core, which is asked for them.

/**
 * @typedef {{ name: string, type: 'integer' | 'boolean' | 'choice', default: number | boolean | string, min?: number,
 *   max?: number, choices?: string[], meaning: string }} Field
 * @typedef {{ name: string, title: string, summary: string, group: string, fields: Field[],
 *   inputs: { name: string, shape: string, optional: boolean }[] }} Layer
 * @typedef {Record<string, unknown>} Values
 */

/** `Hidden size` for `hidden_size`. @param {string} name */
export function fieldLabel(name) {
  const words = name.replaceAll('_', ' ').replace('seq len', 'sequence length').replace('attn dim', 'attention dim').replace('num heads', 'heads').replace('kv len', 'key length')
    .replace('dtype', 'number format');
  return words[0].toUpperCase() + words.slice(1);
}

/**
 * The value that a text stands for; text that stands for none comes back as it is, so that the core can name it in
 * its message. Thousands may be grouped: `4,096`, `4_096`, `4 096`.
 * @param {Field} field @param {unknown} raw @returns {unknown}
 */
export function parseField(field, raw) {
  if (typeof raw !== 'string') return raw;
  const text = raw.trim();
  if (field.type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (field.type === 'choice') return text;
  const plain = /^\d{1,3}([,_\s]\d{3})+$/.test(text) ? text.replace(/[,_\s]/g, '') : text;
  const number = plain === '' ? NaN : Number(plain);
  return Number.isNaN(number) ? text : number;
}

/** @param {Layer} layer @param {Values} values @returns {Values} only the fields that this layer has, defaults filled in */
export function configOf(layer, values) {
  /** @type {Values} */
  const config = { layer: layer.name };
  for (const field of layer.fields) config[field.name] = parseField(field, values[field.name] ?? field.default);
  return config;
}

const SLIDER_REACH = 128;

/**
 * The stops of a field's slider: 1, 2, 3, 4, 6, 8, 12, … (powers of two and halves between them), up to 128 times the
 * default. The number box takes every value in the range; the slider only the sensible ones.
 * @param {Field} field @returns {number[]}
 */
export function sliderStops(field) {
  const low = Math.max(Number(field.min ?? 1), 1);
  const high = Math.min(Number(field.max ?? Infinity), Number(field.default) * SLIDER_REACH);
  const stops = [];
  for (let power = 1; power <= high; power *= 2) {
    if (power >= low) stops.push(power);
    if (power >= 2 && power * 1.5 >= low && power * 1.5 <= high) stops.push(power * 1.5);
  }
  return stops;
}

/** Index of the stop nearest to a value on a log scale. @param {number[]} stops @param {number} value */
export function nearestStop(stops, value) {
  const distance = stops.map((stop) => Math.abs(Math.log(stop / value)));
  return distance.indexOf(Math.min(...distance));
}
