// The figures of the README and of docs/ that something else in the repository decides.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { project } from '../../tools/folders.js';
import { findLibraries, findPrograms } from '../../tools/installed.js';
import { families, sameClass } from '../../web/lib/families.js';
import { fromHuggingFace, open } from '../../web/lib/index.js';
import { COUNTS } from '../torch/counts.js';
import { modelTypes, published } from '../torch/families.js';
import { tablesOf, textOf } from './documents.js';

const readme = textOf('README.md');
const scope = await open({ threads: 1 });

/** @param {string} text @param {string} head the first cell, or a part of the first row */
function tableWith(text, head) {
  const table = tablesOf(text).find(([first]) => first.some((cell) => cell.includes(head)));
  return table ?? assert.fail(`no table with ${head}`);
}

test('the README has every layer of the registry, and no other', () => {
  const [, , ...rows] = tableWith(readme, 'computes');
  const named = rows.flatMap(([names]) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  assert.deepEqual(
    named.sort(),
    scope
      .layers()
      .map(({ name }) => name)
      .sort()
  );
});

for (const [name, title] of [
  ['BERT base', 'BERT base has'],
  ['GPT-2', 'GPT-2'],
  ['Llama-3-8B', 'Llama-3-8B']
]) {
  test(`${name} has as many parameters as the README says`, () => {
    const { parameters } = scope.estimate(fromHuggingFace(published[name]).config);
    assert.ok(readme.includes(`${title} ${parameters.toLocaleString('en')}`), `${parameters}`);
  });
}

test('as many configs and model types are judged as the README says', () => {
  assert.equal(COUNTS.all.configs, 100);
  assert.ok(readme.includes('of random configs, at least a hundred of each layer'));
  assert.equal(COUNTS.all.variants, 12);
  assert.ok(readme.includes(`twelve random configs of each of ${modelTypes.length} types`));
  const read = Object.keys({ ...families, ...sameClass });
  assert.ok(readme.includes(`reads the \`config.json\` of ${read.length} model types`));
});

test('long attention without its weights runs in the memory that the manual says', () => {
  const config = {
    layer: 'scaled_dot_product_attention',
    batch_size: 1,
    seq_len: 16384,
    kv_len: 16384,
    num_heads: 12,
    head_dim: 64
  };
  const mebibytes = Math.round(scope.runBytes(config, { need_weights: false }) / 2 ** 20);
  const said = `16,384 positions with 12 heads of 64 features runs in ${mebibytes} MiB with one thread`;
  assert.ok(textOf('docs/javascript.md').includes(said), said);
});

test('the README asks for the versions that the build asks for', async () => {
  const rows = tableWith(readme, 'where it is looked for');
  const cell = (/** @type {string} */ start) => rows.find(([name]) => name.startsWith(start))?.[1];
  /** @param {import('../../tools/installed.js').Finding[]} found */
  const least = (found) => found.map(({ needed }) => needed.replace(' or newer', ''));
  const [emscripten, ...programs] = least(await findPrograms());
  assert.equal(cell('Emscripten'), emscripten);
  assert.equal(cell('CMake, Ninja'), programs.join(', '));
  assert.equal(cell('headers'), least(findLibraries([])).join(', '));
  const { engines } = JSON.parse(readFileSync(join(project, 'node_modules/vite/package.json'), 'utf8'));
  assert.equal(engines.node, '^20.19.0 || >=22.12.0');
  assert.equal(cell('Node'), '20.19 or 22.12');
});

/** The fastest rival of a row of docs/speed.md, as the README has it. @param {string[]} head @param {string[]} row */
function fastestRival(head, row) {
  const times = head
    .map((name, i) => ({ name, cell: row[i], time: parseFloat(row[i]) }))
    .filter(({ name, time }, i) => i > 1 && !['of peak', 'ratio'].includes(name) && !Number.isNaN(time));
  const { name, cell } = times.reduce((best, one) => (one.time < best.time ? one : best));
  return `${cell}, ${name}`;
}

test("the README's table of speeds is drawn from those of docs/speed.md", () => {
  const speed = textOf('docs/speed.md');
  const [head, , ...one] = tableWith(speed, 'Node 24.21.0, one thread');
  const [, , ...two] = tableWith(speed, 'Node 24.21.0, two threads');
  const [, , ...shown] = tableWith(readme, 'fastest rival');
  assert.deepEqual(
    shown,
    one.map((row, i) => [row[0], row[1], fastestRival(head, row), row.at(-1), two[i].at(-1)])
  );
});

test("the README's steps of training are those of docs/speed.md", () => {
  const [, , ...rows] = tableWith(textOf('docs/speed.md'), 'native PyTorch');
  const said = (/** @type {string} */ start) => {
    const row = rows.find(([name]) => name.startsWith(start)) ?? assert.fail(`no row of ${start}`);
    return [`${row[1].split(' ')[0]} ms`, `${row.at(-1)} times`];
  };
  for (const text of ['classifier', 'encoder layer', 'GPT'].flatMap(said)) assert.ok(readme.includes(text), text);
});
