// Files of the site compressed at build: beside each NAME stand NAME.br and NAME.gz, as static hosts look for them, and
// `npm start` answers with the smallest that a browser takes. Names in assets/ hold a hash of the content, so browsers
// keep these files; of all others they ask whether they have changed.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { filesBelow, outOf } from './plugins.js';

/** @typedef {import('vite').Plugin} Plugin */

const TEXT_OR_WASM = /\.(html|js|css|wasm|svg)$/;

/** The best first. */
const ENCODINGS = [
  { name: 'br', ending: 'br', compress: promisify(brotliCompress), options: {} },
  { name: 'gzip', ending: 'gz', compress: promisify(gzip), options: { level: 9 } }
];

/** Compresses what the plugins before have written. @returns {Plugin} */
export function compressed() {
  return {
    name: 'attnscope:compressed',
    async closeBundle() {
      const { config } = this.environment;
      if (config.command !== 'build') return;
      const files = filesBelow(outOf(config)).filter((name) => TEXT_OR_WASM.test(name));
      await Promise.all(files.map((name) => compress(join(outOf(config), name))));
    },
    configurePreviewServer({ config, middlewares }) {
      middlewares.use((request, response, next) => {
        const [path, ...search] = (request.url ?? '/').split('?');
        const name = path.replace(/\/$/, '/index.html');
        response.setHeader('Cache-Control', isHashed(name) ? 'public, max-age=31536000, immutable' : 'no-cache');
        if (TEXT_OR_WASM.test(name)) {
          response.setHeader('Vary', 'Accept-Encoding');
          const encoding = encodingOf(join(outOf(config), decodeURI(name)), request);
          if (encoding) request.url = [`${name}.${encoding.ending}`, ...search].join('?');
        }
        next();
      });
    }
  };
}

/**
 * The encoding in which a file is the smallest of those that a request takes; undefined where it is sent as it is.
 * @param {string} file @param {import('node:http').IncomingMessage} request
 */
export function encodingOf(file, { headers }) {
  const accepted = headers.range ? '' : String(headers['accept-encoding'] ?? '');
  return ENCODINGS.find(({ name, ending }) => takes(accepted, name) && existsSync(`${file}.${ending}`));
}

/** Writes each encoding of a file that is smaller than the file. @param {string} file */
async function compress(file) {
  const bytes = readFileSync(file);
  const work = ENCODINGS.map(async ({ ending, compress, options }) => {
    const smaller = await compress(bytes, options);
    if (smaller.length < bytes.length) writeFileSync(`${file}.${ending}`, smaller);
  });
  await Promise.all(work);
}

const isHashed = (/** @type {string} */ path) => /\/assets\//.test(path);

/**
 * Whether a request's Accept-Encoding names an encoding, and not with `q=0`.
 * @param {string} accepted
 * @param {string} encoding
 */
function takes(accepted, encoding) {
  return accepted.split(',').some((part) => {
    const [name, ...weights] = part.split(';').map((text) => text.trim());
    return name === encoding && !weights.some((weight) => /^q=0(\.0*)?$/.test(weight));
  });
}
