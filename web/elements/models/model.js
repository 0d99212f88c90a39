// What model a configuration is: a published one, or that of a file, with its name and the positions it is made for.

import { configOf } from '../../plain/fields.js';
import { formatCount } from '../../plain/format.js';
import { asideOf, identityOf, learnedOf } from '../../plain/model.js';
import { titleOf } from '../../plain/pin.js';
import { models } from './converted.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../../plain/fields.js').Layer} Layer
 * @typedef {import('../../plain/fields.js').Values} Values
 * @typedef {import('../../plain/model.js').Model} Model
 */

/** How long a text is sized, and how many at once, until something else is chosen: every model can take it. */
const WHOLE = { batch_size: 1, seq_len: 512 };

/** The published models by their identity. @type {WeakMap<object, Map<string, Model>>} */
const known = new WeakMap();

/** @param {readonly Layer[]} layers */
function publishedModels(layers) {
  const byIdentity =
    known.get(layers) ??
    new Map(
      models.flatMap(({ name, config, model }) => {
        const layer = layers.find((one) => one.name === config.layer);
        return layer ? [[identityOf(configOf(layer, /** @type {any} */ (config))), { ...model, name }]] : [];
      })
    );
  known.set(layers, byIdentity);
  return byIdentity;
}

/** The model that is shown; null for a layer. @param {Store} store @returns {Model | null} */
export function modelOf({ layers, config, aside }) {
  if (aside.model) {
    const [positions, count] = [aside.model_positions, aside.model_layers].map((text) => (text ? Number(text) : null));
    return { name: aside.model, positions, layers: count };
  }
  return publishedModels(layers).get(identityOf(config)) ?? null;
}

/** `Llama-3-8B`, or the title of a layer that is no model. @param {Store} store */
export const subjectOf = (store) => modelOf(store)?.name ?? titleOf(store.layers, store.config);

/**
 * The longest text that the layer can take, and that the model is made for; null where nothing ends it.
 * @param {Store} store
 */
export function longestOf(store) {
  const learned = learnedOf(store.config);
  return { learned, positions: learned ?? modelOf(store)?.positions ?? null };
}

/**
 * Takes a model with the lengths and the batch that were chosen for the one before, as far as it is made for them.
 * @param {Store} store
 * @param {Values} config of it; fields that it leaves out go to their defaults
 * @param {Model | null} model where a file says it
 */
export function takeModel(store, config, model) {
  const layer = store.layers.find(({ name }) => name === config.layer) ?? store.layer;
  const chosen = isModel(store) ? chosenLengths(store, layer) : WHOLE;
  const trial = configOf(layer, { ...config, ...chosen });
  const { values, notice } = fitted(store.layers, trial, model?.name ?? 'This model');
  store.set(values, { model: asideOf(model), notice });
}

/** What the core says against a model at any length. @param {Store} store @param {Values} config */
export function modelRefusal(store, config) {
  const layer = store.layers.find(({ name }) => name === config.layer) ?? store.layer;
  return store.refusal({ ...configOf(layer, config), seq_len: 1 });
}

/** @param {Store} store */
const isModel = (store) => modelOf(store) !== null || 'vocab_size' in store.config;

/** @param {Store} store @param {Layer} layer */
const chosenLengths = ({ config }, { fields }) =>
  Object.fromEntries(
    ['batch_size', 'seq_len', 'past_len']
      .filter((name) => name in config && fields.some((field) => field.name === name))
      .map((name) => [name, config[name]])
  );

/**
 * The same at a length that its table of positions has, and what to say of that.
 * @param {readonly Layer[]} layers @param {Values} config @param {string} name
 */
function fitted(layers, config, name) {
  const learned = learnedOf(config);
  const [length, past] = [Number(config.seq_len), Number(config.past_len ?? 0)];
  if (learned === null || length + past <= learned) return { values: config, notice: '' };
  const called = publishedModels(layers).get(identityOf(config))?.name ?? name;
  const shorter = { ...config, seq_len: Math.min(length, learned), ...('past_len' in config ? { past_len: 0 } : {}) };
  const notice = `${called} ends at ${formatCount(learned)} positions: it is sized at ${formatCount(shorter.seq_len)} of them, not at ${formatCount(length + past)}.`;
  return { values: shorter, notice };
}
