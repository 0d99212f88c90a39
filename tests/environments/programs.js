// The module in JavaScript engines, type checkers and test runners: what each is given, and what it must say.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../tools/commands.js';

/**
 * @typedef {{ folder: string, modules: string }} Place a project with the module installed, and the node_modules with
 *   the tools
 */

const using = `
  const config = { layer: 'additive_scorer', batch_size: 4, seq_len: 64, hidden_size: 768, attn_dim: 128 };
  const model = scope.create(config, { seed: 0 });
  const { weights } = model.forward({ hidden_states: scope.randn([4, 64, 768], { seed: 1 }) });
  const sum = weights.data.subarray(0, 64).reduce((total, weight) => total + weight, 0);`;

/**
 * Prints what the module says of itself and what it computes; the process is to end by itself.
 * @param {string} [from]
 */
const program = (from = 'attnscope') => `
  import { open } from '${from}';
  const scope = await open({ threads: 2 });${using}
  console.log(JSON.stringify({ build: scope.build, parameters: scope.estimate(config).parameters, right: Math.abs(sum - 1) < 1e-5 }));
`;

/**
 * What is wrong with what the program printed; '' for nothing.
 * @param {string} printed
 * @param {{ threads?: number, reason?: RegExp }} [expected]
 */
function judged(printed, { threads = 2, reason = /^$|^plain SIMD/ } = {}) {
  const { build, parameters, right } = JSON.parse(printed.trim().split('\n').at(-1) ?? '');
  const good = right && parameters === 98561 && build.threads === threads && reason.test(build.reason);
  return good ? '' : `got ${printed.trim()}`;
}

/**
 * @param {(place: Place) => string} command
 * @param {{ args?: string[], from?: string, threads?: number, reason?: RegExp }} [options]
 * @returns {(place: Place) => Promise<string>}
 */
export const engine =
  (command, { args = [], from, threads, reason } = {}) =>
  async (place) => {
    writeFileSync(join(place.folder, 'use.mjs'), program(from));
    return judged(await run(command(place), [...args, 'use.mjs'], { cwd: place.folder, timeout: 60_000 }), {
      threads,
      reason
    });
  };

/**
 * The program as an argument.
 * @param {(place: Place) => string} command
 * @returns {(place: Place) => Promise<string>}
 */
export const evaluated = (command) => async (place) =>
  judged(
    await run(command(place), ['--input-type=module', '--eval', program()], { cwd: place.folder, timeout: 60_000 })
  );

/**
 * An engine that is too old says so.
 * @param {(place: Place) => string} command
 * @param {RegExp} message
 * @returns {(place: Place) => Promise<string>}
 */
export const refusing = (command, message) => async (place) => {
  writeFileSync(
    join(place.folder, 'use.mjs'),
    "import { open } from 'attnscope';\nawait open().catch((error) => console.log(error.message));\n"
  );
  const printed = await run(command(place), ['use.mjs'], { cwd: place.folder, timeout: 60_000 });
  return message.test(printed) ? '' : `got ${printed}`;
};

/** @param {string} tool the folder in node_modules @returns {(place: Place) => Promise<string>} */
export const typescript =
  (tool) =>
  async ({ folder, modules }) => {
    writeFileSync(
      join(folder, 'use.ts'),
      `
    import { open } from 'attnscope';
    import { open as openInline } from 'attnscope/inline';
    const scope = await open();
    const parameters: number = scope.estimate({ layer: 'linear_scorer', hidden_size: 8 }).parameters;
    const same: typeof open = openInline;
    // @ts-expect-error
    scope.estimate({ layer: 'linear_scorer', hiden_size: parameters, same });\n`
    );
    for (const module of [
      ['--module', 'nodenext'],
      ['--module', 'esnext', '--moduleResolution', 'bundler']
    ]) {
      const options = ['--strict', '--noEmit', '--target', 'es2022', '--lib', 'es2022,dom', ...module];
      await run(process.execPath, [join(modules, tool, 'bin/tsc'), ...options, 'use.ts'], {
        cwd: folder,
        timeout: 120_000
      });
    }
    return '';
  };

const test = (/** @type {string} */ imports) => `
  import { open } from 'attnscope';
  ${imports}
  test('the module opens', async () => {
    const scope = await open({ threads: 2 });${using}
    expect(sum).toBeCloseTo(1);
    expect(scope.build.threads).toBe(2);
  });\n`;

/**
 * Jest runs ES modules by a flag of Node's.
 * @param {string} environment
 * @returns {(place: Place) => Promise<string>}
 */
export const jest =
  (environment) =>
  async ({ folder, modules }) => {
    writeFileSync(join(folder, 'use.test.js'), test(''));
    writeFileSync(
      join(folder, 'jest.config.json'),
      JSON.stringify({
        testEnvironment: join(modules, environment),
        transform: {},
        cacheDirectory: join(folder, 'cache')
      })
    );
    const args = [
      '--experimental-vm-modules',
      join(modules, 'jest/bin/jest.js'),
      '--config',
      'jest.config.json',
      '--rootDir',
      folder
    ];
    await run(process.execPath, args, { cwd: folder, timeout: 120_000 });
    return '';
  };

/** @param {(place: Place) => string} node @returns {(place: Place) => Promise<string>} */
export const vitest = (node) => async (place) => {
  mkdirSync(join(place.folder, 'test'), { recursive: true });
  writeFileSync(join(place.folder, 'test/use.test.js'), test("import { expect, test } from 'vitest';"));
  await run(node(place), [join(place.modules, 'vitest/vitest.mjs'), 'run', '--root', place.folder], {
    cwd: place.folder,
    timeout: 120_000
  });
  return '';
};
