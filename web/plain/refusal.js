// Errors that name the setting to change.

/** @param {string} field @param {string} message */
export const refusal = (field, message) => Object.assign(new RangeError(message), { field });

/** @param {string} name @param {unknown} value @param {number} min @param {number} max */
export function checkInteger(name, value, min, max) {
  if (!Number.isInteger(value) || Number(value) < min || Number(value) > max)
    throw refusal(name, `${name} must be an integer from ${min} to ${max}, got ${JSON.stringify(value)}`);
}

/** @param {string} name @param {unknown} value @param {readonly string[]} choices */
export function checkChoice(name, value, choices) {
  if (!choices.includes(String(value)))
    throw refusal(name, `${name} must be one of ${choices.join(', ')}, got ${value}`);
}
