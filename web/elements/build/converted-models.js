// The published models, converted when a page is built and not by each visitor.

import { models } from '../models/converted.js';

/** Puts what models/converted.js exports in the place of that file. @returns {import('vite').Plugin} */
export function convertedModels() {
  return {
    name: 'attnscope:converted-models',
    load: {
      filter: { id: /\/elements\/models\/converted\.js$/ },
      handler: () => `export const models = ${JSON.stringify(models)};`
    }
  };
}
