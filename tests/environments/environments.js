// npm run environments: tries the packed module in other people's tools and engines, and prints each with its result.
// `npm run environments -- next bun` tries those whose names hold one of these words.

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, main } from '../../tools/build.js';
import { ensureCommands } from '../../tools/packages.js';
import { closeBrowser } from '../bundlers/browser.js';
import { esbuild, rollup, vite, webpack } from '../bundlers/tools.js';
import { installPacked, installTools, makeProject } from '../packed.js';
import { engine, evaluated, jest, refusing, typescript, vitest } from './programs.js';
import { astro, built, component, next, ownWorker, parcel, react, viteDev, vue } from './sites.js';

/**
 * @typedef {import('./programs.js').Place} Place
 * @typedef {{ files?: Record<string, string>, attempt: (place: Place) => Promise<string> }} Environment `attempt` says
 *   what
 *   is wrong; '' for nothing
 */

/** Node's program of a version that package.json names. @param {string} name */
const node =
  (name) =>
  (/** @type {{ modules: string }} */ { modules }) =>
    join(modules, name, 'bin/node');
const node24 = node('node-24');
const program = (/** @type {(place: Place) => Promise<string>} */ attempt) => ({ attempt });

/** @type {Record<string, (versions: (tool: string) => string) => [string, Environment]>} */
const environments = {
  vite8: (v) => [`Vite ${v('vite')}, build`, built(vite('vite'))],
  vite7: (v) => [`Vite ${v('vite-7')}, build`, built(vite('vite-7'))],
  vite8dev: (v) => [`Vite ${v('vite')}, development`, viteDev(({ modules }) => join(modules, 'vite/bin/vite.js'))],
  vite7dev: (v) => [`Vite ${v('vite-7')}, development`, viteDev(({ modules }) => join(modules, 'vite-7/bin/vite.js'))],
  worker: (v) => [`Vite ${v('vite')}, in a worker of the page's own`, ownWorker],
  astro: (v) => [`Astro ${v('astro')}`, astro(node24)],
  webpack: (v) => [`webpack ${v('webpack')}`, built(webpack)],
  esbuild: (v) => [`esbuild ${v('esbuild')}`, built(esbuild([]))],
  esbuildEsm: (v) => [`esbuild ${v('esbuild')}, --format=esm`, built(esbuild(['--format=esm']))],
  rollup: (v) => [`Rollup ${v('rollup')}`, built(rollup)],
  parcel: (v) => [`Parcel ${v('parcel')}`, built(parcel)],
  nextTurbopack: (v) => [
    `Next ${v('next')}, Turbopack, page and server component`,
    next(node24, '--turbopack', 'build')
  ],
  nextWebpack: (v) => [`Next ${v('next')}, webpack, page and server component`, next(node24, '--webpack', 'build')],
  nextDev: (v) => [`Next ${v('next')}, Turbopack, development`, next(node24, '--turbopack', 'dev')],
  react: (v) => [`React ${v('react')}, Vite`, component(react)],
  vue: (v) => [`Vue ${v('vue')}, Vite`, component(vue)],
  node200: (v) => [
    `Node ${v('node-20.0')}, says what it lacks`,
    program(refusing(node('node-20.0'), /Node reads it from 20\.16 and 22\.3 on/))
  ],
  node2016: (v) => [`Node ${v('node-20.16')}`, program(engine(node('node-20.16')))],
  node20: (v) => [`Node ${v('node-20')}`, program(engine(node('node-20')))],
  node22: (v) => [`Node ${v('node-22')}`, program(engine(node('node-22'), { reason: /^$/ }))],
  node24: (v) => [`Node ${v('node-24')}`, program(engine(node24, { reason: /^$/ }))],
  inline: (v) => [
    `Node ${v('node-24')}, attnscope/inline`,
    program(engine(node24, { from: 'attnscope/inline', reason: /^$/ }))
  ],
  eval: (v) => [`Node ${v('node-24')}, --eval`, program(evaluated(node24))],
  permission: (v) => [
    `Node ${v('node-24')}, --permission without workers`,
    program(
      engine(node24, {
        args: ['--permission', '--allow-fs-read=*'],
        threads: 1,
        reason: /^one thread, because no others could be started: .*--allow-worker/
      })
    )
  ],
  deno: (v) => [
    `Deno ${v('deno')}`,
    program(engine(({ modules }) => join(modules, '.bin/deno'), { args: ['run', '-A'] }))
  ],
  denoInline: (v) => [
    `Deno ${v('deno')}, attnscope/inline`,
    program(engine(({ modules }) => join(modules, '.bin/deno'), { args: ['run', '-A'], from: 'attnscope/inline' }))
  ],
  bun: (v) => [`Bun ${v('bun')}`, program(engine(({ modules }) => join(modules, '.bin/bun')))],
  bunInline: (v) => [
    `Bun ${v('bun')}, attnscope/inline`,
    program(engine(({ modules }) => join(modules, '.bin/bun'), { from: 'attnscope/inline' }))
  ],
  typescript5: (v) => [`TypeScript ${v('typescript')}`, program(typescript('typescript'))],
  typescript7: (v) => [`TypeScript ${v('typescript-7')}`, program(typescript('typescript-7'))],
  jest: (v) => [`Jest ${v('jest')}`, program(jest('jest-environment-node'))],
  jestDom: (v) => [`Jest ${v('jest')}, jsdom`, program(jest('jest-environment-jsdom'))],
  vitest: (v) => [`Vitest ${v('vitest')}`, program(vitest(node24))]
};

/** @param {string[]} words */
function chosen(words) {
  const names = Object.keys(environments).filter(
    (name) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word.toLowerCase()))
  );
  if (names.length === 0)
    throw new Error(`no environment is called ${words.join(', ')}; there are ${Object.keys(environments).join(', ')}`);
  return names;
}

await main(async () => {
  const names = chosen(process.argv.slice(2));
  await Promise.all([build(), ensureCommands(['chromium'])]);
  const [packed, tools] = await Promise.all([installPacked(), installTools('tests/environments')]);
  const modules = join(tools, 'node_modules');
  const versions = (/** @type {string} */ tool) =>
    JSON.parse(readFileSync(join(modules, tool, 'package.json'), 'utf8')).version;
  let failed = 0;
  for (const name of names) {
    const [title, { files = {}, attempt }] = environments[name](versions);
    const folder = makeProject(tools, name, packed, files);
    const start = performance.now();
    const wrong = await attempt({ folder, modules }).catch((error) => String(error.message));
    if (wrong) failed++;
    console.log(
      `${wrong ? 'failed' : 'ok    '}  ${title}, ${((performance.now() - start) / 1000).toFixed(1)} s${wrong ? `\n${wrong.replace(/^/gm, '        ')}` : ''}`
    );
  }
  await closeBrowser();
  rmSync(packed, { recursive: true, force: true });
  console.log(`\n${names.length - failed} of ${names.length} run`);
  if (failed > 0) process.exitCode = 1;
});
