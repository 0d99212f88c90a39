// One binary file with the numbers of every tensor, and in JSON where each of them is.

import { closeSync, openSync, writeSync } from 'node:fs';

/** @typedef {Float32Array | Uint8Array | Int32Array} Data */
/** @typedef {{offset: number, shape: number[], kind?: 'boolean' | 'integer'}} Place offset in elements, not bytes */

export class TensorFile {
  #file;
  #length = 0;

  /** @param {string} path */
  constructor(path) {
    this.#file = openSync(path, 'w');
  }

  /**
   * Appends the elements as little-endian float32; those of a boolean mask as 0 and 1.
   * @param {{data: Data, shape: number[]}} tensor
   * @returns {Place}
   */
  add({ data, shape }) {
    const offset = this.#length;
    const kind = data instanceof Uint8Array ? 'boolean' : data instanceof Int32Array ? 'integer' : undefined;
    const floats = data instanceof Float32Array ? data : Float32Array.from(data);
    writeSync(this.#file, new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength));
    this.#length += floats.length;
    return { offset, shape, ...(kind && { kind }) };
  }

  /**
   * @param {Record<string, {data: Data, shape: number[]}>} tensors
   * @returns {Record<string, Place>}
   */
  addAll(tensors) {
    return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, this.add(tensor)]));
  }

  close() {
    closeSync(this.#file);
  }
}
