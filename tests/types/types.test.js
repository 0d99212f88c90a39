// tsc over everything that is typed, and the module's declarations as a TypeScript user meets them.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { attempt } from '../../tools/commands.js';
import { project } from '../../tools/folders.js';
import { open } from 'attnscope';

const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler'];
const using = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'esnext,dom', '--types', 'node', 'tests/types/using.ts'];

for (const [claim, args] of Object.entries({
  'the module has no type error': ['-p', 'tools/tsconfig.library.json', '--noEmit'],
  'the elements, the site and the page tests have no type error': ['-p', 'web/tsconfig.json'],
  'the tools and their tests have no type error': ['-p', 'tools/tsconfig.json'],
  'a TypeScript user gets the types of results, and errors on what is wrong': ['-p', 'tests/types/tsconfig.json'],
  'so with the resolution of bundlers': ['-p', 'tests/types/tsconfig.json', ...bundler],
  '`using` disposes a model': ['--module', 'nodenext', ...using],
  '`using` disposes a model with the resolution of bundlers': [...bundler, ...using]
})) {
  test(claim, async () => {
    const tsc = join(project, 'node_modules/typescript/bin/tsc');
    const { output } = await attempt(process.execPath, [tsc, '--pretty', 'false', ...args], { cwd: project });
    assert.equal(output, '');
  });
}

test('each file that a declaration imports is there', () => {
  const declarations = join(project, 'web/lib/types');
  const files = readdirSync(declarations, { recursive: true, encoding: 'utf8' }).filter((name) => /\.d\.m?ts$/.test(name));
  assert.ok(files.includes('index.d.ts'), String(files));
  for (const file of files) {
    const text = readFileSync(join(declarations, file), 'utf8');
    for (const [, name] of text.matchAll(/(?:from|import\()\s*['"](\.[^'"]+)['"]/g)) {
      const target = join(declarations, dirname(file), name.replace(/\.(m?)js$/, '.d.$1ts'));
      assert.ok(existsSync(target), `${file} imports ${name}`);
    }
  }
});

/** @param {import('attnscope').Field} field */
function typeOf({ type, choices = [], optional }) {
  const own = { integer: 'number', number: 'number', boolean: 'boolean', choice: choices.map((choice) => `'${choice}'`).join(' | ') }[type];
  return optional ? `${own} | null` : own;
}

test('the type of a config has exactly the layers and fields of the registry', async () => {
  const text = readFileSync(join(project, 'web/lib/core/config.d.ts'), 'utf8');
  const expected = (await open({ threads: 1 })).layers().map(({ name, fields }) => (
    `{ layer: '${name}'; ${fields.map((field) => `${field.name}?: ${typeOf(field)}`).join('; ')} }`
  ));
  assert.equal(text, `export type Config =\n  | ${expected.join('\n  | ')};\n`);
});

test('the four builds have the same declarations', () => {
  for (const build of ['simd', 'relaxed', 'simd-threads', 'relaxed-threads']) {
    const text = readFileSync(join(project, `web/lib/core/${build}.d.mts`), 'utf8');
    assert.equal(text, "export * from './core.js';\nexport { default } from './core.js';\n", build);
  }
});
