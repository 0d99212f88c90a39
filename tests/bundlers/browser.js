// Opens what was built in Chromium, and uses the module there.

import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isolation } from '../../tools/headers.js';
import { launch } from '../chromium.js';
import { listen } from '../loopback.js';

/**
 * @typedef {object} Seen
 * @property {{name: string, threads: number, reason: string}} build
 * @property {number} parameters of an additive scorer
 * @property {number} sum of the first query's weights
 * @property {string[]} errors of the page
 */

/** The two lines of each project. */
export const lines = "import { open } from 'attnscope';\nwindow.opening = open();\n";

/** @param {string} script */
export const page = (script) =>
  `<!doctype html><html lang="en"><title>A page</title><script type="module" src="${script}"></script></html>\n`;

/**
 * @param {string} folder
 * @param {Record<string, string>} [headers]
 */
export function serveFolder(folder, headers = {}) {
  return listen(async (path) => {
    const name = path.endsWith('/') ? `${path}index.html` : path;
    return { headers, type: extname(name), body: await readFile(join(folder, name)) };
  });
}

/** @type {ReturnType<typeof launch> | undefined} */
let starting;

/** Ends Chromium, if it was started. */
export async function closeBrowser() {
  await (await starting)?.close();
  starting = undefined;
}

/** In the page. @returns {Promise<Omit<Seen, 'errors'>>} */
async function figures() {
  const scope = await /** @type {any} */ (window).opening;
  const config = { layer: 'additive_scorer', batch_size: 4, seq_len: 64, hidden_size: 768, attn_dim: 128 };
  const model = scope.create(config, { seed: 0 });
  const { weights } = model.forward({ hidden_states: scope.randn([4, 64, 768], { seed: 1 }) });
  const sum = weights.data
    .subarray(0, 64)
    .reduce((/** @type {number} */ total, /** @type {number} */ weight) => total + weight, 0);
  return { build: { ...scope.build }, parameters: scope.estimate(config).parameters, sum };
}

/**
 * @template [Found=Omit<Seen, 'errors'>]
 * @param {string} url
 * @param {() => Promise<Found>} [look] what to do in the page, once it has set `opening`
 * @returns {Promise<Found & { errors: string[] }>}
 */
export async function use(url, look = /** @type {any} */ (figures)) {
  starting ??= launch();
  const context = await (await starting).newContext();
  try {
    const opened = await context.newPage();
    /** @type {string[]} */
    const errors = [];
    opened.on('pageerror', (error) => errors.push(String(error)));
    await opened.goto(url);
    await opened
      .waitForFunction(() => 'opening' in window, null, { timeout: 30_000 })
      .catch(() => {
        throw new Error(`the page did not run: ${errors.join('; ') || 'without an error'}`);
      });
    return { ...(await opened.evaluate(look)), errors };
  } finally {
    await context.close();
  }
}

/**
 * What is wrong with what was seen; '' for nothing.
 * @param {Seen} seen
 * @param {boolean} isolated
 */
export function wrongWith({ build, parameters, sum, errors }, isolated) {
  const threads = isolated
    ? build.threads > 1 && build.reason === ''
    : build.threads === 1 && build.reason.startsWith('one thread, because the page is not');
  return [
    parameters !== 98561 && `${parameters} parameters`,
    Math.abs(sum - 1) > 1e-5 && `weights add up to ${sum}`,
    !threads && `${build.name} with ${build.threads} threads: ${build.reason}`,
    ...errors
  ]
    .filter(Boolean)
    .join('; ');
}

/**
 * What is wrong with a folder that is served with isolation and without; '' for nothing.
 * @param {string} folder
 */
export async function tryFolder(folder) {
  const wrong = [];
  for (const isolated of [true, false]) {
    const site = await serveFolder(folder, isolated ? isolation : {});
    const found = await use(site.url).then(
      (seen) => wrongWith(seen, isolated),
      (error) => String(error.message)
    );
    await site.close();
    if (found) wrong.push(`${isolated ? 'isolated' : 'not isolated'}: ${found}`);
  }
  return wrong.join('\n');
}
