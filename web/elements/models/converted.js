// The published models as configurations. A build runs this file and puts the result in its place
// (../build/converted-models.js): what reads a config.json is then loaded only when somebody opens one.

import { fromHuggingFace } from '../../lib/index.js';
import { published } from '../../plain/published.js';

export const models = published.map(({ name, file, usable }) => {
  const { config, model } = fromHuggingFace(file);
  return { name, usable, config, model };
});
