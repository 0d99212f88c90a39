// The types of inputs and results against the graphs: what a config's graph has, its types have, and what they promise
// is there.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { project } from '../../tools/folders.js';
import { errorsOf, own } from './compilers.js';

const { configs, layers, scope } = await import(new URL('../js/support.js', import.meta.url).href);

const folder = join(project, 'build', 'graph-types'); // inside the package, so that it can import itself by its name
mkdirSync(folder, { recursive: true });

const head = `
import { open } from 'attnscope';
import type { ConfigOf, Inputs, LayerName, Results, StepInputs } from 'attnscope';
const scope = await open();
type Required<T> = { [Name in keyof T]-?: {} extends Pick<T, Name> ? never : Name }[keyof T];
/** All: the names that there are. Needed: those that cannot be left out. */
type Fits<T, All, Needed> = [All] extends [keyof T] ? [Required<T>] extends [Needed] ? [] : ['promises', Exclude<Required<T>, Needed>] : ['lacks', Exclude<All, keyof T>];
type Exact<T, All, Needed> = [keyof T] extends [All] ? [Needed] extends [Required<T>] ? Fits<T, All, Needed> : ['leaves out', Exclude<Needed, Required<T>>] : ['has', Exclude<keyof T, All>];
const fits = <T, All, Needed>(..._: Fits<T, All, Needed>) => {};
const exact = <T, All, Needed>(..._: Exact<T, All, Needed>) => {};
`;

/** @param {{ name: string }[]} items */
const union = (items) => items.map(({ name }) => `'${name}'`).join(' | ') || 'never';

/** @param {string} check @param {string} config @param {import('attnscope').Estimate} estimate */
function lines(check, config, { inputs, results, kv_cache }) {
  const needed = inputs.filter(({ optional }) => !optional);
  const withoutWeights = results.filter(({ weights }) => !weights);
  const given = (/** @type {import('attnscope').Input[]} */ items) => items.filter(({ cached }) => !cached);
  return [
    `${check}<Inputs<${config}>, ${union(inputs)}, ${union(needed)}>();`,
    `${check}<Results<${config}, {}>, ${union(results)}, ${union(results)}>();`,
    `${check}<Results<${config}, { need_weights: false }>, ${union(withoutWeights)}, ${union(withoutWeights)}>();`,
    ...(kv_cache ? [`${check}<StepInputs<${config}>, ${union(given(inputs))}, ${union(given(needed))}>();`] : [])
  ];
}

/** @param {Record<string, unknown>} config */
const typeOf = (config) =>
  `{ ${Object.entries(config)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join('; ')} }`;

/** @param {string} name @param {string[]} code */
async function compile(name, code) {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, head + code.join('\n'));
  const options = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom', '--module', 'nodenext'];
  return errorsOf(own, [...options, '--types', 'node', file]);
}

test('with the defaults the types have exactly the inputs and results of the graph', async () => {
  const code = layers.flatMap((/** @type {any} */ { name }) =>
    lines('exact', `{ layer: '${name}' }`, scope.estimate({ layer: name }))
  );
  assert.equal(await compile('defaults', code), '');
});

test(`with each of ${configs.length} configs they have what the graph has, and promise nothing that it has not`, async () => {
  const code = configs.flatMap((/** @type {any} */ config) => lines('fits', typeOf(config), scope.estimate(config)));
  assert.equal(await compile('configs', code), '');
});

test('where only the layer is known, they have what any of its configs has', async () => {
  const code = configs.flatMap((/** @type {any} */ config) =>
    lines('fits', `ConfigOf<'${config.layer}'>`, scope.estimate(config))
  );
  assert.equal(await compile('layers', [...new Set(code)]), '');
});

test('these checks find what is wrong', async () => {
  const wrong = await compile('wrong', [
    "fits<Inputs<{ layer: 'linear_scorer' }>, 'query', 'query'>();",
    "fits<Results<{ layer: 'linear_scorer' }, {}>, 'output' | 'weights', 'output'>();",
    "exact<Results<{ layer: 'linear_scorer' }, {}>, 'output', 'output'>();"
  ]);
  assert.equal(wrong.trim().split('\n').length, 3, wrong);
});
