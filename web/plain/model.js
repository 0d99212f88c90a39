// What a link says of a model beside its configuration, and by what a configuration is one and the same model.

import { formatCount } from './format.js';

/**
 * @typedef {import('./fields.js').Values} Values
 * @typedef {{ name: string, positions: number | null, layers: number | null }} Model as fromHuggingFace says it
 */

/** What of a configuration does not make it another model. */
const FREE = ['batch_size', 'seq_len', 'past_len', 'dtype'];

/** Whether a field decides which model it is. @param {string} name */
export const makesModel = (name) => ![...FREE, 'layer', 'seed'].includes(name);

/** The rest of it, as text. @param {Values} config */
export const identityOf = (config) => JSON.stringify(Object.entries(config).filter(([name]) => !FREE.includes(name)));

/** What the link calls the model of a file, and what it says of it. */
export const ASIDE_OF_MODEL = /** @type {const} */ (['model', 'model_positions', 'model_layers']);

/** @param {Model | null} model @returns {Record<string, string>} */
export const asideOf = (model) => ({
  model: model?.name ?? '',
  model_positions: String(model?.positions ?? ''),
  model_layers: String(model?.layers ?? '')
});

/** As if no file had been opened. */
export const NO_MODEL = asideOf(null);

/** What is wrong with a number of these; '' for nothing. @param {string} text */
export const countRule = (text) => (/^[1-9]\d{0,8}$/.test(text) ? '' : 'a positive integer');

/** How much of the model is sized; '' where it is the whole. @param {Model} model */
export const partText = ({ layers }) => (layers ? `one attention layer of ${formatCount(layers)}` : '');

/** How many positions have a learned vector; null where none needs one. @param {Values} config */
export const learnedOf = ({ position, max_positions, position_offset }) =>
  position === 'learned' ? Number(max_positions) - Number(position_offset ?? 0) : null;
