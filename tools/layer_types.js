// The types of each layer's config, inputs and results, from the registry and the graphs that it makes.

/** @typedef {import('../web/lib/types.js').Field} Field */
/** @typedef {import('../web/lib/types.js').Input} Input */
/** @typedef {import('../web/lib/types.js').Result} Result */
/** @typedef {{ name: string, title: string, summary: string, fields: Field[] }} Layer */
/** @typedef {boolean | number | string | null} Value */
/** @typedef {Record<string, Value>} Config */

/**
 * What the graph of a config takes and gives.
 * @typedef {{ inputs: Input[], results: Result[], kv_cache: object | null }} Graph
 */

/**
 * When a layer has an input or a result that not each of its configs has: where `field` has one of the values `is`, or
 * none of `isNot`. `unsure`: other fields decide as well, so that it may be missing even there.
 * @typedef {{ field: string, is?: Value[], isNot?: Value[], unsure?: true }} Condition
 */

/**
 * @param {Layer[]} layers
 * @param {(config: Config) => Graph} graphOf throws for a config that is refused
 */
export function layerTypes(layers, graphOf) {
  const known = layers.map((layer) => ({ layer, graphs: new Graphs(layer, graphOf) }));
  return [
    '// Written by the build from the registry: the config, inputs and results of each layer.\n',
    "import type { FloatInput, IdsInput, MaskInput, Tensor } from '../types.js';\n",
    ...layers.map(configType),
    `export type Config =\n${layers.map((layer) => `  | ${typeName(layer)}`).join('\n')};\n`,
    comment('', ['What the types of inputs and results are made of, by the layer.']) +
      `export interface Layers {\n${known.map(({ layer, graphs }) => layerType(layer, graphs)).join('')}}\n`
  ].join('\n');
}

/** The graphs of a layer with its defaults and with one field, or two, set to something else. */
class Graphs {
  #graphs = new Map();

  /** @param {Layer} layer @param {(config: Config) => Graph} graphOf */
  constructor(layer, graphOf) {
    this.layer = layer;
    this.graphOf = graphOf;
    this.byDefault = /** @type {Graph} */ (this.with({}));
    /** Each field's other values that are not refused. */
    this.changes = layer.fields.flatMap((field) => othersOf(field).map((value) => ({ [field.name]: value })));
    this.all = [this.byDefault, ...this.changes.flatMap((change) => this.with(change) ?? [])];
  }

  /** @param {Config} fields @returns {Graph | null} null where they are refused */
  with(fields) {
    const key = JSON.stringify(fields);
    if (!this.#graphs.has(key)) this.#graphs.set(key, this.#make(fields));
    return this.#graphs.get(key);
  }

  /** @param {Config} fields */
  #make(fields) {
    try {
      return this.graphOf({ layer: this.layer.name, ...fields });
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** Each input or result by its name, as the first graph has it that has it. @param {'inputs' | 'results'} list */
  named(list) {
    const found = new Map();
    for (const graph of this.all) {
      for (const item of graph[list]) if (!found.has(item.name)) found.set(item.name, item);
    }
    return /** @type {(Input & Result)[]} */ ([...found.values()]);
  }

  /**
   * What decides whether there is an input or result of this name; null where there always is.
   * @param {'inputs' | 'results'} list @param {string} name
   * @returns {Condition | null}
   */
  conditionOf(list, name) {
    const has = (/** @type {Config} */ fields) => this.with(fields)?.[list].some((item) => item.name === name);
    const before = has({});
    const deciding = this.layer.fields.filter((field) =>
      this.#valuesOf(field).some((value) => has({ [field.name]: value }) === !before)
    );
    if (deciding.length === 0) return null;
    if (deciding.length > 1) return { field: deciding[0].name, isNot: [], unsure: true };
    const [field] = deciding;
    const values = this.#valuesOf(field);
    const there = values.filter((value) => has({ [field.name]: value }));
    const unsure = there.some((value) =>
      this.changes.some((change) => !(field.name in change) && has({ [field.name]: value, ...change }) === false)
    );
    const finite = field.type === 'choice' || field.type === 'boolean' || there.length === 1;
    const when = finite ? { is: there } : { isNot: values.filter((value) => !there.includes(value)) };
    return { field: field.name, ...when, ...(unsure && { unsure }) };
  }

  /** The default and the others that are not refused. @param {Field} field */
  #valuesOf(field) {
    return [field.default, ...othersOf(field)].filter((value) => this.with({ [field.name]: value }));
  }
}

/** Values of a field besides its default, small ones. @param {Field} field @returns {Value[]} */
function othersOf({ type, default: fallback, choices = [], optional, min = 0 }) {
  /** @type {Value[]} */
  const values = type === 'choice' ? choices : type === 'boolean' ? [false, true] : [min, min + 1, min + 2];
  return [...values, ...(optional ? [null] : [])].filter((value) => value !== fallback);
}

/** "AdditiveScorerConfig". @param {Layer} layer */
function typeName({ name }) {
  return `${name.replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase())}Config`;
}

/** @param {Layer} layer */
function configType(layer) {
  const fields = layer.fields.map(
    (field) =>
      comment('  ', [field.meaning, rangeOf(field), `@default ${literal(field.default)}`].filter(Boolean)) +
      `  ${field.name}?: ${fieldType(field)};\n`
  );
  const about = comment('', [`${layer.title}. ${layer.summary}`]);
  return `${about}export interface ${typeName(layer)} {\n  layer: '${layer.name}';\n${fields.join('')}}\n`;
}

/** @param {Layer} layer @param {Graphs} graphs */
function layerType(layer, graphs) {
  const lists = /** @type {const} */ (['inputs', 'results']);
  const [inputs, results] = lists.map((list) =>
    graphs.named(list).map((item) => {
      const condition = graphs.conditionOf(list, item.name);
      return { ...item, condition, byDefault: graphs.byDefault[list].some(({ name }) => name === item.name) };
    })
  );
  const where = [...inputs, ...results].flatMap(({ name, condition }) => (condition ? [{ name, condition }] : []));
  const names = (/** @type {{ name: string }[]} */ items) =>
    items.map(({ name }) => `'${name}'`).join(' | ') || 'never';
  return [
    `  ${layer.name}: {\n    config: ${typeName(layer)};\n    defaults: {\n`,
    ...layer.fields.map((field) => `      ${field.name}: ${literal(field.default)};\n`),
    '    };\n    inputs: {\n',
    ...inputs.map(
      (input) =>
        `${comment('      ', inputNotes(input))}      ${input.name}${input.optional ? '?' : ''}: ${inputType(input)};\n`
    ),
    '    };\n    results: {\n',
    ...results.map((result) => `${comment('      ', resultNotes(result))}      ${result.name}: Tensor;\n`),
    '    };\n    /** Which of them a field decides upon. */\n    where: {\n',
    ...where.map(({ name, condition }) => `      ${name}: ${conditionType(condition)};\n`),
    '    };\n',
    `    /** Results that need_weights: false leaves out. */\n    weights: ${names(results.filter(({ weights }) => weights))};\n`,
    `    /** Inputs that step() takes from the KV cache. */\n    cached: ${names(inputs.filter(({ cached }) => cached))};\n`,
    `    has_cache: ${graphs.byDefault.kv_cache !== null};\n  };\n`
  ].join('');
}

/** @typedef {{ byDefault: boolean, condition: Condition | null }} Found */

/** @param {Input & Found} input */
function inputNotes({ shape, optional, limit, byDefault, condition }) {
  const size = `shape (${shape.join(', ')}) by default`;
  const what = limit ? `Integers below ${limit}, ` : optional ? 'May be left out. Broadcasts to ' : '';
  return [
    byDefault && sentence(what + (optional ? size.replace('shape ', '') : size)),
    condition && whereText(condition)
  ].filter((note) => note !== false && note !== null);
}

/** @param {Result & Found} result */
function resultNotes({ shape, weights, byDefault, condition }) {
  return [
    weights && 'Attention weights.',
    byDefault && `Shape (${shape.join(', ')}) by default.`,
    condition && whereText(condition)
  ].filter((note) => note !== false && note !== null);
}

/** @param {Condition} condition */
function whereText({ field, is, isNot, unsure }) {
  const values = (/** @type {Value[]} */ list) => list.map(literal).join(' or ');
  if (isNot?.length === 0) return 'Only for some configs.';
  return `Only where \`${field}\` is ${is ? values(is) : `not ${values(isNot ?? [])}`}${unsure ? ', and not even always there' : ''}.`;
}

/** @param {Condition} condition */
function conditionType({ field, is, isNot, unsure }) {
  const values = (is ?? isNot ?? []).map(literal).join(' | ') || 'never';
  return `{ field: '${field}'; ${is ? 'is' : 'isNot'}: ${values}${unsure ? '; unsure: true' : ''} }`;
}

/** @param {Input} input */
function inputType({ optional, integer }) {
  return integer ? 'IdsInput' : optional ? 'MaskInput' : 'FloatInput';
}

/** @param {Field} field */
function fieldType({ type, choices, optional }) {
  const own = choices?.map(literal).join(' | ') ?? (type === 'boolean' ? type : 'number');
  return optional ? `${own} | null` : own;
}

/** @param {Field} field */
function rangeOf({ type, min, max, above_min }) {
  if (type === 'integer') return `An integer from ${min} to ${max}.`;
  if (type !== 'number') return '';
  return above_min ? `A number above ${min} and at most ${max}.` : `A number from ${min} to ${max}.`;
}

/** @param {Value} value */
function literal(value) {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** @param {string} text */
function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`;
}

/** Paragraphs that an editor shows on hover. @param {string} indent @param {string[]} paragraphs */
function comment(indent, paragraphs) {
  if (paragraphs.length === 0) return '';
  if (paragraphs.length === 1) return `${indent}/** ${paragraphs[0]} */\n`;
  const lines = paragraphs.flatMap((text, i) => (i > 0 && !text.startsWith('@') ? ['', text] : [text]));
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`;
}
