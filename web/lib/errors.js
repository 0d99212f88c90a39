// Errors of the core, made in JavaScript that people can read: an uncaught one is printed with the line that made it.

/** Refuses to dispose of the model of a trainer by itself. */
export const TRAINED = 'this model is being trained: its trainer frees it, by dispose()';

const types = { Error, RangeError };
/** Those for want of memory. @type {WeakSet<Error>} */
const outOfMemory = new WeakSet();

/**
 * What the core throws. Its stack begins where the library was called, without the WebAssembly in between.
 * @param {string} type
 * @param {string} message
 * @param {string} field '' for none
 */
export function errorOf(type, message, field) {
  const error = new (types[/** @type {keyof types} */ (type)] ?? RangeError)(message);
  if (type === 'OutOfMemory') outOfMemory.add(error);
  return field === '' ? error : Object.assign(error, { field });
}

/** Whether it was thrown because an allocation failed. @param {unknown} error @returns {error is Error} */
export function isOutOfMemory(error) {
  return error instanceof Error && outOfMemory.has(error);
}
