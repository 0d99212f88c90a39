// A configuration as a text, by which two are told apart.

/**
 * The same text for the same values alone: numbers that JSON has none for are not null here.
 * @param {unknown} config
 */
export const keyOf = (config) =>
  JSON.stringify(config, (_, value) =>
    typeof value === 'number' && !Number.isFinite(value) ? `the number ${value}` : value
  );
