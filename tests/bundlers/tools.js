// The bundlers, each as somebody starts it who has read no further than its first page.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../tools/commands.js';
import { lines, page } from './browser.js';

/**
 * @typedef {object} Bundler
 * @property {Record<string, string>} files of the project
 * @property {(project: string, modules: string) => Promise<string>} build gives the folder to serve; modules: the
 *   node_modules with the tool
 */

/**
 * Runs a tool's program with the Node that runs this.
 * @param {string} project
 * @param {string} program
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
export const runTool = (project, program, args, env) =>
  run(process.execPath, [program, ...args], { cwd: project, env: { NO_COLOR: '1', ...env }, timeout: 600_000 });

/** @param {string} tool the folder in node_modules @returns {Bundler} */
export const vite = (tool) => ({
  files: { 'index.html': page('./main.js'), 'main.js': lines },
  async build(project, modules) {
    await runTool(project, join(modules, tool, 'bin/vite.js'), ['build']);
    return join(project, 'dist');
  }
});

/** @type {Bundler} */
export const webpack = {
  files: { 'src/index.js': lines },
  async build(project, modules) {
    await runTool(project, join(modules, 'webpack-cli/bin/cli.js'), ['build', '--mode', 'production']);
    writeFileSync(join(project, 'dist/index.html'), page('./main.js'));
    return join(project, 'dist');
  }
};

/** @param {string[]} options besides `--bundle` @returns {Bundler} */
export const esbuild = (options) => ({
  files: { 'main.js': lines },
  async build(project, modules) {
    await run(join(modules, 'esbuild/bin/esbuild'), ['main.js', '--bundle', '--outdir=dist', ...options], {
      cwd: project
    });
    writeFileSync(join(project, 'dist/index.html'), page('./main.js'));
    return join(project, 'dist');
  }
});

/** @type {Bundler} Rollup finds no package without the plugin; it is looked for beside the project. */
export const rollup = {
  files: { 'main.js': lines, 'index.html': page('./main.js') },
  async build(project, modules) {
    await runTool(project, join(modules, 'rollup/dist/bin/rollup'), [
      'main.js',
      '--plugin',
      '@rollup/plugin-node-resolve',
      '--dir',
      'dist'
    ]);
    mkdirSync(join(project, 'dist'), { recursive: true });
    copyFileSync(join(project, 'index.html'), join(project, 'dist/index.html'));
    return join(project, 'dist');
  }
};
