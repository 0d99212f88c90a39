// The module in pages: other bundlers, frameworks, development servers, policies, other origins.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { isolation } from '../../tools/headers.js';
import { lines, page, serveFolder, tryFolder, use, wrongWith } from '../bundlers/browser.js';
import { runTool, vite } from '../bundlers/tools.js';

/**
 * @typedef {import('./programs.js').Place} Place
 * @typedef {{ files: Record<string, string>, attempt: (place: Place) => Promise<string> }} Site
 * @typedef {import('../bundlers/tools.js').Bundler} Bundler
 */

/** Built, and served with isolation and without. @param {Bundler} bundler @returns {Site} */
export const built = ({ files, build }) => ({
  files,
  attempt: async ({ folder, modules }) => tryFolder(await build(folder, modules))
});

/** @type {Bundler} */
export const parcel = {
  files: { 'index.html': page('./main.js'), 'main.js': lines },
  async build(project, modules) {
    await runTool(project, join(modules, 'parcel/lib/bin.js'), ['build', 'index.html', '--no-cache'], {
      NODE_ENV: 'production'
    });
    return join(project, 'dist');
  }
};

/** @param {(place: { modules: string }) => string} node @returns {Site} */
export const astro = (node) => ({
  files: {
    'src/pages/index.astro': `<html lang="en"><title>A page</title><script>\n${lines}</script></html>\n`,
    'astro.config.mjs': "export default { cacheDir: './cache' };\n"
  },
  async attempt(place) {
    const { run } = await import('../../tools/commands.js');
    await run(node(place), [join(place.modules, 'astro/bin/astro.mjs'), 'build'], {
      cwd: place.folder,
      env: { ASTRO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' },
      timeout: 240_000
    });
    return tryFolder(join(place.folder, 'dist'));
  }
});

/**
 * A component of a framework, built by Vite.
 * @param {string} main
 * @returns {Site}
 */
export const component = (main) =>
  built({
    ...vite('vite'),
    files: { 'index.html': page('./main.js').replace('</title>', '</title><div id="app"></div>'), 'main.js': main }
  });

export const react = `
  import { createElement, useEffect, useState } from 'react';
  import { createRoot } from 'react-dom/client';
  import { open } from 'attnscope';
  function App() {
    const [parameters, setParameters] = useState(0);
    useEffect(() => {
      window.opening = open();
      window.opening.then((scope) => setParameters(scope.estimate({ layer: 'linear_scorer' }).parameters));
    }, []);
    return createElement('p', null, parameters);
  }
  createRoot(document.getElementById('app')).render(createElement(App));\n`;

export const vue = `
  import { createApp, h, onMounted, ref } from 'vue';
  import { open } from 'attnscope';
  createApp({
    setup() {
      const parameters = ref(0);
      onMounted(async () => {
        window.opening = open();
        parameters.value = (await window.opening).estimate({ layer: 'linear_scorer' }).parameters;
      });
      return () => h('p', parameters.value);
    }
  }).mount('#app');\n`;

/**
 * The module in a worker of the page's own, which Vite makes no module of: one thread less than in a page starts there.
 * @type {Site}
 */
export const ownWorker = {
  files: {
    'index.html': page('./main.js'),
    'worker.js': `
      import { open } from 'attnscope';
      open().then((scope) => postMessage({ build: { ...scope.build }, parameters: scope.estimate({ layer: 'additive_scorer', attn_dim: 128 }).parameters }), (error) => postMessage({ error: error.message }));\n`,
    'main.js': `
      const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
      window.opening = new Promise((resolve, reject) => { worker.onmessage = ({ data }) => resolve(data); worker.onerror = reject; });\n`
  },
  async attempt({ folder, modules }) {
    const dist = await vite('vite').build(folder, modules);
    const site = await serveFolder(dist, isolation);
    try {
      const { build, parameters, error } = await use(site.url, async () => /** @type {any} */ (window).opening);
      return build?.threads > 1 && build.reason === '' && parameters === 98561
        ? ''
        : JSON.stringify({ build, parameters, error });
    } finally {
      await site.close();
    }
  }
};

/**
 * A development server, at an address of its own.
 * @param {Record<string, string>} files
 * @param {(place: Place, port: number) => { command: string, args: string[], env?: Record<string, string> }} start
 * @param {{ isolated: boolean, path?: string, build?: (place: Place) => Promise<unknown>,
 *   look?: (url: string) => Promise<string> }} options
 * @returns {Site}
 */
export const served = (files, start, { isolated, path = '/', build, look }) => ({
  files,
  async attempt(place) {
    await build?.(place);
    const port = await freePort();
    const { command, args, env } = start(place, port);
    const child = spawn(command, args, {
      cwd: place.folder,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    try {
      const url = `http://localhost:${port}${path}`;
      await answers(url, child, () => output);
      return await (look ? look(url) : use(url).then((seen) => wrongWith(seen, isolated)));
    } catch (error) {
      return `${/** @type {Error} */ (error).message}\n${output}`;
    } finally {
      if (child.pid && child.exitCode === null) process.kill(-child.pid);
    }
  }
});

async function freePort() {
  const site = await serveFolder('.');
  const { port } = new URL(site.url);
  await site.close();
  return Number(port);
}

/** @param {string} url @param {import('node:child_process').ChildProcess} child @param {() => string} output */
async function answers(url, child, output) {
  const latest = Date.now() + 120_000;
  while (Date.now() < latest && child.exitCode === null) {
    if (
      await fetch(url).then(
        () => true,
        () => false
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`no answer from ${url}: ${output()}`);
}

/** @param {(place: Place) => string} program of Vite @returns {Site} */
export const viteDev = (program) =>
  served(
    {
      'index.html': page('./main.js'),
      'main.js': lines,
      'vite.config.js': `export default { cacheDir: './cache', server: { headers: ${JSON.stringify(isolation)} } };\n`
    },
    (place, port) => ({ command: process.execPath, args: [program(place), '--port', String(port), '--strictPort'] }),
    { isolated: true }
  );

const nextFiles = {
  'app/layout.js':
    'export default function Layout({ children }) {\n  return <html lang="en"><body>{children}</body></html>;\n}\n',
  'app/page.js': `'use client';
import { useEffect } from 'react';
import { open } from 'attnscope';
export default function Page() {
  useEffect(() => { window.opening = open(); }, []);
  return <p>A page</p>;
}\n`,
  'app/server/page.js': `import { open } from 'attnscope';
export const dynamic = 'force-dynamic';
export default async function Page() {
  const scope = await open({ threads: 2 });
  const { parameters } = scope.estimate({ layer: 'additive_scorer', attn_dim: 128 });
  return <p>{\`\${parameters} parameters, \${scope.build.threads} threads: \${scope.build.reason}\`}</p>;
}\n`,
  'next.config.js': `export default {
  turbopack: { root: import.meta.dirname + '/../..' }, // where Next itself is
  headers: async () => [{ source: '/:path*', headers: ${JSON.stringify(Object.entries(isolation).map(([key, value]) => ({ key, value })))} }]
};\n`
};

/**
 * Next, built and started: a page, and a component of the server.
 * @param {(place: Place) => string} node
 * @param {'--turbopack' | '--webpack'} bundler
 * @param {'build' | 'dev'} mode
 * @returns {Site}
 */
export const next = (node, bundler, mode) => {
  const program = (/** @type {Place} */ { modules }) => join(modules, 'next/dist/bin/next');
  const env = { NEXT_TELEMETRY_DISABLED: '1' };
  return served(
    nextFiles,
    (place, port) => ({
      command: node(place),
      env,
      args: [program(place), ...(mode === 'dev' ? ['dev', bundler] : ['start']), '--port', String(port)]
    }),
    {
      isolated: true,
      async build(place) {
        const { run } = await import('../../tools/commands.js');
        if (mode === 'build')
          await run(node(place), [program(place), 'build', bundler], { cwd: place.folder, env, timeout: 400_000 });
      },
      async look(url) {
        const client = wrongWith(await use(url), true);
        const server = await (await fetch(new URL('server', url))).text();
        const text = /<p>(.*?)<\/p>/.exec(server)?.[1].replaceAll('<!-- -->', '') ?? server.slice(0, 500);
        return [client, /^98561 parameters, 2 threads: (plain SIMD.*)?$/.test(text) ? '' : `server component: ${text}`]
          .filter(Boolean)
          .join('\n');
      }
    }
  );
};
