// What an editor shows: the language service of TypeScript is asked, as an editor asks it.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { project } from '../../tools/folders.js';
import { open } from 'attnscope';

const layers = (await open({ threads: 1 })).layers();
const file = join(project, 'tests/types/editor.ts'); // only in memory, where 'attnscope' is found
let text = '';
let version = 0;

/** @type {ts.LanguageServiceHost} */
const host = {
  getScriptFileNames: () => [file],
  getScriptVersion: (name) => (name === file ? String(version) : '0'),
  getScriptSnapshot: (name) => {
    const content = name === file ? text : ts.sys.readFile(name);
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
  },
  getCurrentDirectory: () => project,
  getCompilationSettings: () => ({
    strict: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    types: []
  }),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => name === file || ts.sys.fileExists(name),
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories
};
const service = ts.createLanguageService(host);
const head = "import { defineConfig, open } from 'attnscope';\nconst scope = await open();\n";

/** @param {string} code */
function write(code) {
  text = head + code;
  version++;
}

/** What the editor shows on each place of `marks` in the code. @param {string} mark @param {number} [from] */
function hover(mark, from = head.length) {
  const at = text.indexOf(mark, from);
  assert.ok(at >= 0, mark);
  const info = service.getQuickInfoAtPosition(file, at);
  assert.ok(info, `nothing is shown on ${mark}`);
  return {
    shown: ts.displayPartsToString(info.displayParts),
    about: ts.displayPartsToString(info.documentation),
    tags: Object.fromEntries((info.tags ?? []).map((tag) => [tag.name, ts.displayPartsToString(tag.text)]))
  };
}

function errors() {
  return [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n')
  );
}

/** What the editor offers where the code has `|`. @param {string} code */
function offers(code) {
  const at = (head + code).indexOf('|', head.length);
  write(code.replace('|', ''));
  return (
    service
      .getCompletionsAtPosition(file, at, undefined)
      ?.entries.filter(
        ({ kind }) => kind === ts.ScriptElementKind.memberVariableElement || kind === ts.ScriptElementKind.string
      )
      .map(({ name }) => name) ?? []
  );
}

/** @param {unknown} value */
const literal = (value) => (typeof value === 'string' ? `'${value}'` : String(value));
const quoted = (/** @type {string} */ name) => JSON.stringify(name);

/** @param {import('attnscope').Field} field */
function typeOf({ type, choices = [], optional }) {
  const own = { integer: ['number'], number: ['number'], boolean: ['boolean'], choice: choices.map(quoted) }[type];
  return [...own, ...(optional ? ['null'] : []), 'undefined'].sort();
}

for (const layer of layers) {
  test(`hovers show the meaning, range, default and type of each field of ${layer.name}`, () => {
    const fields = layer.fields.map((field) => `  ${field.name}: ${field.optional ? 'null' : literal(field.default)}`);
    write(`scope.create({\n  layer: '${layer.name}',\n${fields.join(',\n')}\n});\n`);
    assert.deepEqual(errors(), []);
    for (const field of layer.fields) {
      const { shown, about, tags } = hover(`${field.name}:`, text.indexOf(`  ${field.name}:`, head.length));
      assert.ok(about.startsWith(field.meaning), `${field.name}: ${about}`);
      const range = field.above_min
        ? ` above ${field.min} and at most ${field.max}.`
        : ` from ${field.min} to ${field.max}.`;
      if (field.min !== undefined) assert.ok(about.includes(range), `${field.name}: ${about}`);
      assert.equal(tags.default, literal(field.default), field.name);
      const [, owner, type] = /^\(property\) (\w+)\.\w+\?: (.*)$/s.exec(shown) ?? assert.fail(shown);
      assert.equal(owner, layer.name.replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase()) + 'Config');
      assert.deepEqual(type.split(' | ').sort(), typeOf(field), `${field.name}: ${shown}`);
    }
  });

  test(`an editor offers the fields of ${layer.name}, and no others`, () => {
    const expected = layer.fields.map(({ name }) => name).sort();
    for (const call of ['scope.create', 'scope.estimate', 'defineConfig']) {
      assert.deepEqual(offers(`${call}({ layer: '${layer.name}', | });`).sort(), expected, call);
    }
  });

  test(`an editor offers and explains what ${layer.name} takes and gives`, () => {
    const given = `scope.create({ layer: '${layer.name}' })`;
    assert.deepEqual(offers(`${given}.forward({ | });`).sort(), layer.inputs.map(({ name }) => name).sort());
    write(`const results = ${given}.forward({} as any);\n`);
    const results = layer.results.map(({ name }) => `results.${name};`);
    write(`const results = ${given}.forward({} as any);\n${results.join('\n')}\n`);
    assert.deepEqual(errors(), []);
    for (const { name, shape, weights } of layer.results) {
      const { shown, about } = hover(`${name};`, text.indexOf('results.'));
      assert.match(shown, /: Tensor$/);
      assert.ok(
        about.includes(`(${shape.join(', ')})`) && about.startsWith('Attention weights.') === weights,
        `${name}: ${about}`
      );
    }
  });
}

test('an editor offers the names of all layers, and the choices of a field', () => {
  assert.deepEqual(offers("scope.create({ layer: '|' });").sort(), layers.map(({ name }) => name).sort());
  const { choices } = layers[0].fields.find(({ name }) => name === 'dtype') ?? assert.fail();
  assert.deepEqual(offers("scope.create({ layer: 'linear_scorer', dtype: '|' });").sort(), [...(choices ?? [])].sort());
});

test('a summary of the layer is shown on its config', () => {
  write(
    "import type { ConfigOf } from 'attnscope';\nconst config: ConfigOf<'linear_scorer'> = { layer: 'linear_scorer' };\n"
  );
  assert.match(hover('config:').shown, /: LinearScorerConfig$/);
});

test('what is wrong is named', () => {
  /** @type {[string, RegExp][]} */
  const cases = [
    [
      "scope.estimate({ layer: 'linear_scorer', hiden_size: 8 });",
      /'hiden_size' does not exist.*Did you mean to write 'hidden_size'\?/s
    ],
    ["defineConfig({ layer: 'linear_scorer', attn_dim: 8 });", /'attn_dim' does not exist/],
    [
      "const config = { layer: 'linear_scorer', hiden_size: 8 };\nscope.estimate(config);",
      /'hiden_size' are incompatible/
    ],
    [
      "scope.estimate({ layer: 'linear_scorrer', seq_len: 4 });",
      /'"linear_scorrer"' is not assignable .*Did you mean '"linear_scorer"'\?/s
    ],
    [
      "scope.estimate({ layer: 'linear_scorer', output: 'mean' });",
      /'"mean"' is not assignable to type '"scores" \| "weights" \| "pooled"/
    ],
    ["scope.estimate({ layer: 'linear_scorer', seq_len: '4' });", /'string' is not assignable to type 'number'/],
    [
      "scope.create({ layer: 'linear_scorer' }).forward({ hidden_state: scope.randn([1]) });",
      /'hidden_state' does not exist.*Did you mean to write 'hidden_states'\?/s
    ],
    [
      "scope.create({ layer: 'linear_scorer' }).forward({ hidden_states: scope.randn([1]) }, { need_weight: true });",
      /'need_weight' does not exist.*Did you mean to write 'need_weights'\?/s
    ],
    [
      "scope.create({ layer: 'linear_scorer' }).step({ hidden_states: scope.randn([1]) });",
      /'hidden_states' does not exist in type .*LayerWithoutKvCache/s
    ]
  ];
  for (const [code, message] of cases) {
    write(code);
    const found = errors();
    assert.equal(found.length, 1, `${code}\n${found.join('\n')}`);
    assert.match(found[0], message);
  }
});
