// A Hugging Face config.json as a config of attnscope, with what became of each of its keys. What a key means stands in
// families.js; here is how a file is read by it.

import { families, sameClass } from './families.js';
import { checkOptions, refusal } from './options.js';
import { TRANSFORMERS, whyRefused } from './refused-families.js';
import { didYouMean, isPlain, show } from './values.js';

/**
 * @typedef {import('./families.js').Family} Family
 * @typedef {import('./families.js').Rule} Rule
 * @typedef {import('./types.js').Imported} Imported
 * @typedef {import('./types.js').ImportedKey} ImportedKey
 *
 * @typedef {object} Slot a key that the family knows, in this file
 * @property {string} key
 * @property {Rule} rule
 * @property {string[]} names that it may have in the file; one inside `text_config` is called `text_config.hidden_size`
 * @property {string} name the one that it has
 * @property {boolean} given whether the file has it
 * @property {any} value the file's, or the default
 * @property {string[]} fields that it has set
 */

/**
 * The config that sizes the model which a Hugging Face config.json describes; and for each key of the file, and each
 * default that stands in for one, what it was used for. `batch_size` and `seq_len` are left to attnscope's defaults.
 * With the model's weights a layer of this config gives the model's outputs, unless a key says in `differs` why it does
 * not.
 * @param {unknown} configJson the parsed file
 * @param {{ name?: string }} [options] `name`: of the model, where the file has no `_name_or_path`
 * @returns {Imported}
 * @throws {RangeError} with the key as `field`, for a family that is not known or a value that its key cannot have
 */
export function fromHuggingFace(configJson, options = {}) {
  const { name } = checkOptions('fromHuggingFace', { name: nameRule }, options);
  const { json, family } = familyOf(configJson);
  refuseOthers(json, family);
  const entries = entriesOf(json, family);
  const slots = slotsOf(family, new Map(entries));
  const config = /** @type {any} */ ({ ...family.fixed, ...fieldsOf(slots) });
  return {
    family: family.name,
    config,
    keys: report(family, entries, slots),
    model: modelOf(family, json, slots, { config, name })
  };
}

/** @param {any} value */
const nameRule = (value) => !(typeof value === 'string' && value !== '') && 'a name';

/**
 * @param {Family} family @param {Record<string, unknown>} json @param {Slot[]} slots
 * @param {{ config: any, name?: string }} called
 */
function modelOf(family, json, slots, { config, name: given }) {
  const { title, positions: key = 'max_position_embeddings', layers } = family;
  const valueOf = (/** @type {string} */ name) => slots.find((slot) => slot.key === name)?.value ?? null;
  const path = typeof json._name_or_path === 'string' ? json._name_or_path : '';
  const name = path.split('/').findLast((part) => /^\w.*\w$/.test(part));
  const most = valueOf(key);
  return {
    name: name ?? given ?? `${title} model`,
    positions: Number.isSafeInteger(most) ? most - (config.position_offset ?? 0) : null,
    layers: layers ? valueOf(layers) : null
  };
}

/** @param {unknown} json */
function familyOf(json) {
  if (!isPlain(json)) throw refusal('', `config.json must hold an object, got ${show(json)}`);
  const type = json.model_type;
  const isRead = (/** @type {string} */ type) => Object.hasOwn(families, type);
  const known = typeof type === 'string' && Object.hasOwn(sameClass, type) ? sameClass[type] : type;
  if (typeof known === 'string' && isRead(known)) return { json, family: textFamily(families[known], json) };
  const names = Object.keys(families);
  const rule = `model_type must be one of ${names.join(', ')}`;
  if (typeof type !== 'string')
    throw refusal('model_type', `${rule}${type === undefined ? '; the file has none' : `, got ${show(type)}`}`);
  const why = whyRefused(type, json, isRead);
  if (why) throw refusal('model_type', `model_type ${show(type)} is refused, because ${why}; ${rule}`);
  const similar = names.filter((name) => digitsOf(name) === digitsOf(type)); // another number is another model
  const otherwise = didYouMean(type, similar) || `, which transformers ${TRANSFORMERS} does not have either`;
  throw refusal('model_type', `${rule}, got ${show(type)}${otherwise}`);
}

/** The family by which the text of a file of several models is read. */
function textFamily(/** @type {Family} */ family, /** @type {Record<string, unknown>} */ json) {
  const text = family.inside === undefined ? undefined : json[family.inside];
  if (!isPlain(text)) {
    if (!family.isFlat) return family;
    const { outer = {}, keys } = family;
    const { is_causal, tie_word_embeddings } = outer; // of the whole, wherever the keys of the text stand
    return { ...family, inside: undefined, outer: {}, keys: { ...outer, ...keys, is_causal, tie_word_embeddings } };
  }
  if (!family.texts) return family;
  const types = Object.keys(family.texts);
  const { model_type: type = types[0] } = text;
  if (typeof type === 'string' && Object.hasOwn(family.texts, type)) return family.texts[type];
  const field = `${family.inside}.model_type`;
  throw refusal(field, `${field} must be one of ${types.join(', ')}, got ${show(type)}`);
}

/** A file of several models under the type of a single one: its own keys stand one level deeper. */
function refuseOthers(/** @type {Record<string, unknown>} */ json, /** @type {Family} */ { name, inside }) {
  if (inside || !isPlain(json.text_config)) return;
  const rule = `text_config must be absent, because a ${name} model has none`;
  throw refusal('text_config', `${rule}; where it holds the model, it is read where it is given alone`);
}

/** @param {string} name */
const digitsOf = (name) => name.replace(/\D/g, '');

/**
 * The file's names and values, those inside `text_config` among them.
 * @param {Record<string, unknown>} json
 * @param {Family} family
 */
function entriesOf(json, { inside }) {
  return Object.entries(json).flatMap(([key, value]) => {
    const inner = key === inside ? (value ?? {}) : {};
    if (!isPlain(inner)) throw refusal(key, `${key} must be an object, got ${show(inner)}`);
    const named = Object.entries(inner).map(([name, value]) => /** @type {const} */ ([`${key}.${name}`, value]));
    return named.length > 0 ? named : [/** @type {const} */ ([key, value])];
  });
}

/** @param {Family} family @param {Map<string, unknown>} values @returns {Slot[]} */
function slotsOf({ keys, inside, outer = {} }, values) {
  const slot = (/** @type {string} */ key, /** @type {Rule} */ rule, prefix = '') => {
    const names = [key, ...(rule.aliases ?? [])].map((name) => prefix + name);
    const name = names.find((name) => values.has(name)) ?? names[0];
    const value = values.get(name);
    const given = value !== undefined && (value !== null || 'fallback' in rule);
    return { key, rule, names, name, given, value: given ? value : rule.fallback, fields: [] };
  };
  return [
    ...Object.entries(outer).map(([key, rule]) => slot(key, rule)),
    ...Object.entries(keys).map(([key, rule]) => slot(key, rule, inside && `${inside}.`))
  ];
}

/**
 * The slot that decides of a key. A key that is outside `text_config` and inside is read outside, unless it sets
 * nothing there, or may be absent there.
 * @param {Slot[]} slots
 * @returns {(key: string) => Slot}
 */
const finder = (slots) => (key) => {
  const own = slots.filter((slot) => slot.key === key);
  const first = own.find(({ rule }) => rule.set) ?? own[0];
  return (first?.rule.orInside && own.find(({ given }) => given)) || first;
};

/** What the keys set. @param {Slot[]} slots */
function fieldsOf(slots) {
  const find = finder(slots);
  const peek = (/** @type {string} */ key) => find(key)?.value;
  for (const {
    name,
    given,
    value,
    rule: { type }
  } of slots) {
    const fits = !given || !type || type.fits(value, peek);
    if (!fits) throw refusal(name, `${name} must be ${type.words}, got ${show(value)}`);
  }
  /** @type {Record<string, unknown>} */
  const fields = {};
  for (const slot of slots.filter((slot) => slot === find(slot.key))) {
    for (const [field, from] of Object.entries(slot.rule.set ?? {})) {
      const value = from((key, pick) => use(find(key), field, pick), slot.key);
      if (value !== undefined) fields[field] = value;
    }
  }
  return fields;
}

/**
 * The value of a slot, which is noted as used for a field.
 * @param {Slot} slot
 * @param {string} field
 * @param {(value: any) => any} [pick]
 */
function use({ value, fields }, field, pick = (value) => value) {
  const picked = value === undefined ? undefined : pick(value);
  if (picked !== undefined && !fields.includes(field)) fields.push(field);
  return picked;
}

/**
 * Every key of the file in its order, then the defaults that were used.
 * @param {Family} family @param {(readonly [string, unknown])[]} entries @param {Slot[]} slots @returns {ImportedKey[]}
 */
function report(family, entries, slots) {
  const find = finder(slots);
  const peek = (/** @type {string} */ key) => find(key)?.value;
  const differs = (/** @type {Slot | undefined} */ slot) =>
    slot?.rule.differs?.(slot.value, slot.fields.length > 0, peek);
  const used = (/** @type {Slot} */ slot) => {
    const {
      name,
      value,
      fields,
      rule: { note },
      given
    } = slot;
    const said = typeof note === 'function' ? note(value, peek) : note;
    return row(name, value, given ? 'used' : 'defaulted', fields, said, differs(slot));
  };
  const given = entries.map(([name, value]) => {
    if (name === 'model_type') return row(name, value, 'used', ['layer']);
    const slot = slots.find(({ names }) => names.includes(name));
    const decides = slot?.name === name && slot.given;
    const isRead = decides && (!slot.rule.orInside || slot === find(slot.key));
    if (decides && slot.fields.length > 0) return used(slot);
    return row(name, value, 'ignored', [], whyUnused(family, name, slots), isRead ? differs(slot) : undefined);
  });
  return [...given, ...slots.filter(({ given, fields }) => !given && fields.length > 0).map(used)];
}

/**
 * @param {string} key
 * @param {unknown} value
 * @param {ImportedKey['use']} use
 * @param {string[]} fields
 * @param {string} [note]
 * @param {string} [differs]
 * @returns {ImportedKey}
 */
const row = (key, value, use, fields, note, differs) => ({
  key,
  value,
  use,
  fields,
  ...(note && { note }),
  ...(differs && { differs })
});

/**
 * Why a key changes nothing; '' where that goes without saying.
 * @param {Family} family
 * @param {string} name
 * @param {Slot[]} slots
 */
function whyUnused({ configClass, model, inside }, name, slots) {
  if (name.split('.').at(-1) === 'architectures') return `sized as ${model}`;
  if (name === inside) return 'says nothing, so every default stands in';
  const slot = slots.find(({ names }) => names.includes(name));
  const outside = inside && !name.startsWith(`${inside}.`);
  if (!slot) return outside ? `outside ${inside}, which is sized` : `${configClass} has no such key`;
  if (slot.name !== name) return `${slot.name} decides`;
  const outer = slots.find(({ key }) => key === slot.key);
  return outer !== slot && outer?.rule.set ? `${outer.name} decides` : slot.rule.unused;
}
