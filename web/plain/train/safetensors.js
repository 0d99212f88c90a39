// Tensors as a .safetensors file: the length of the header, the header as JSON, then the numbers, little-endian.
// https://github.com/huggingface/safetensors#format

/** @typedef {{ data: Float32Array, shape: readonly number[] }} Tensor */

const ALIGNMENT = 8;
const LENGTH_BYTES = 8;

/**
 * @param {Record<string, Tensor>} tensors
 * @param {Record<string, string>} [metadata]
 */
export function packSafetensors(tensors, metadata = {}) {
  /** @type {Record<string, unknown>} */
  const header = { __metadata__: metadata };
  let end = 0;
  for (const [name, { data, shape }] of Object.entries(tensors)) {
    header[name] = { dtype: 'F32', shape, data_offsets: [end, (end += data.byteLength)] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / ALIGNMENT) * ALIGNMENT;
  const bytes = new Uint8Array(LENGTH_BYTES + length + end);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(length), true);
  bytes.fill(0x20, LENGTH_BYTES, LENGTH_BYTES + length); // spaces, up to where numbers are aligned
  bytes.set(text, LENGTH_BYTES);
  let at = LENGTH_BYTES + length;
  for (const { data } of Object.values(tensors)) {
    for (const value of data) {
      view.setFloat32(at, value, true);
      at += Float32Array.BYTES_PER_ELEMENT;
    }
  }
  return bytes;
}
