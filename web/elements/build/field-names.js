// The names that an element takes as attributes and properties, from the registry: a class has to name them before the
// module is open.

import { open } from '../../lib/index.js';

const resolved = '\0virtual:field-names';

/** Makes `import { fieldNames, switchNames } from 'virtual:field-names'`. @returns {import('vite').Plugin} */
export function fieldNames() {
  return {
    name: 'attnscope:field-names',
    resolveId: { filter: { id: /^virtual:field-names$/ }, handler: () => resolved },
    load: { filter: { id: /^\0virtual:field-names$/ }, handler: names }
  };
}

async function names() {
  const fields = (await open({ threads: 1 })).layers().flatMap((layer) => layer.fields);
  const list = (/** @type {typeof fields} */ some) => JSON.stringify([...new Set(some.map(({ name }) => name))]);
  return `export const fieldNames = ['layer', 'seed', ...${list(fields)}];
export const switchNames = ${list(fields.filter(({ type }) => type === 'boolean'))};`;
}
