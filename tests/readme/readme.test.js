// Holds the README and docs/ against what they speak of: each JavaScript example prints what stands after it, C++ and
// Python blocks stand in the file that the text names, and there is every command, link and file.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { choose } from '../../tools/ask.js';
import { run } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { suites } from '../../tools/suites.js';
import { open } from '../../web/lib/index.js';
import { parseArguments } from '../bench/arguments.js';
import { commandsOf, documents, examples, headingsOf, linksOf, quotesOf, spansOf, textOf } from './documents.js';

const folder = join(project, 'build', 'readme'); // inside the package, so that it can import itself by its name
mkdirSync(folder, { recursive: true });
const read = (/** @type {string} */ file) => readFileSync(join(project, file), 'utf8');
const { scripts } = JSON.parse(read('package.json'));
const layerNames = (await open({ threads: 1 })).layers().map(({ name }) => /** @type {string} */ (name));

test('the README and the manual have examples, each with what it prints', () => {
  for (const name of ['README.md', 'docs/javascript.md']) {
    assert.ok(examples.filter(({ document }) => document === name).length >= 2, name);
  }
  assert.deepEqual(
    examples.filter(({ printed }) => printed === undefined).map(({ code }) => code),
    []
  );
});

for (const { document, name, code, printed } of examples) {
  const call = code
    .split('\n')
    .find((line) => line.includes('scope.'))
    ?.trim();
  test(`${name} prints what ${document} says: ${call}`, async () => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, code);
    assert.equal(await run(process.execPath, [file]), printed);
  });
}

test('docs/layers.md shows a layer, and the row that judges it', () => {
  const quotes = documents.filter(({ name }) => name === 'docs/layers.md').flatMap(quotesOf);
  assert.deepEqual(
    quotes.map(({ file }) => file.split('/')[0]),
    ['cpp', 'tests']
  );
});

test('the README is short: what leaves it goes to docs/', () => {
  const lines = textOf('README.md').split('\n').length - 1;
  assert.ok(lines <= 200, `${lines} lines`);
});

/** Words in capitals stand for any word of a kind, such as this one. @type {Record<string, string>} */
const STANDS_FOR = {
  NAME: 'js',
  LAYER: 'linear_scorer',
  FILE: 'tests/js/open.test.js',
  COMMIT: 'HEAD',
  SEED: '7',
  TEXT: 'a test'
};

/**
 * What is wrong with a command; '' for nothing.
 * @param {string} command
 */
async function wrongWith(command) {
  const parts = command.match(/"[^"]*"|[^ ]+/g) ?? []; // quoted words are one argument
  const [program, name, ...rest] = parts.map((part) => part.replace(/^"(.*)"$/, '$1'));
  if (program === 'node') {
    const files = [name, ...rest].map((word) => word.replace(/^--[\w-]+=/, '')).filter((word) => /\.m?js$/.test(word));
    return files.filter((file) => !existsSync(join(project, file))).join(' ');
  }
  if (program === 'npm' && name === 'install') return '';
  const script = name === 'run' ? rest.shift() : name;
  if (program !== 'npm' || !script || !scripts[script]) return `no script ${script}`;
  const words = rest.filter((word) => word !== '--');
  const isAny = (/** @type {string} */ word) => /^[A-Z]+$/.test(word);
  if (script === 'bench') return parseArguments(words.map((word) => (isAny(word) ? 'node' : word))) ? '' : 'refused';
  if (!/^test(:all)?$/.test(script)) return '';
  const { chosen } = await choose([
    ...(script === 'test:all' ? ['--all'] : []),
    ...words.map((word) => (isAny(word) ? STANDS_FOR[word] : word))
  ]);
  const layers = chosen.flatMap(({ asked }) => asked.layers);
  return layers.filter((layer) => !layerNames.includes(layer)).join(' ');
}

/** Whether a file or folder is there, or some file of a pattern such as cpp/ops/*.cpp. @param {string} path */
function isThere(path) {
  const place = join(project, dirname(path));
  const [start, end] = basename(path).split('*');
  if (end === undefined) return existsSync(join(project, path));
  return existsSync(place) && readdirSync(place).some((name) => name.startsWith(start) && name.endsWith(end));
}

for (const document of documents) {
  const { name, text } = document;

  test(`each command of ${name} is one that there is`, async () => {
    for (const command of commandsOf(document)) assert.equal(await wrongWith(command), '', command);
  });

  test(`each link of ${name} leads somewhere`, () => {
    for (const { file, heading } of linksOf(document)) {
      assert.ok(existsSync(join(project, file)), file);
      if (heading) assert.ok(headingsOf(file).includes(heading), `${file}#${heading}`);
    }
  });

  test(`each file and folder that ${name} names is there`, () => {
    const named = spansOf(document).filter((span) => /^(cpp|web|tests|tools|docs|cmake)\/[\w*./-]+$/.test(span));
    assert.deepEqual(
      named.filter((path) => !isThere(path)),
      []
    );
  });

  test(`what ${name} quotes stands in the file that it names`, () => {
    const quotes = quotesOf(document);
    assert.equal(text.match(/^```(cpp|python)$/gm)?.length ?? 0, quotes.length);
    for (const { file, code } of quotes) assert.ok(read(file).includes(code), `${file}:\n${code}`);
  });
}

test('the README leads to every file of docs/', () => {
  const seen = new Set(linksOf(documents[0]).map(({ file }) => file));
  assert.deepEqual(
    documents.map(({ name }) => name).filter((name) => name !== 'README.md' && !seen.has(name)),
    []
  );
});

test('docs/architecture.md names what there is in the code', () => {
  const files = ['cpp', 'web/lib', 'web/plain', 'web/elements', 'tests', 'tools'].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`)
  );
  const code = files.filter((file) => /\.(cpp|h|js|py)$/.test(file));
  const words = new Set(code.flatMap((file) => read(file).match(/\w+/g)));
  const [architecture] = documents.filter(({ name }) => name === 'docs/architecture.md');
  const names = spansOf(architecture).filter((span) => /^[A-Za-z]\w+$/.test(span));
  assert.ok(names.length > 20);
  assert.deepEqual(
    names.filter((name) => !words.has(name)),
    []
  );
});

test('docs/architecture.md has a row for every suite', () => {
  const rows = textOf('docs/architecture.md').split('| suite |')[1];
  const named = [...rows.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => cell.replaceAll('`', '').split(', '));
  assert.deepEqual(named.sort(), suites.map(({ name }) => name).sort());
});
