// Files of the site compressed at build: beside each NAME stand NAME.br and NAME.gz, as static hosts look for them, and
// `npm start` answers with the smallest that a browser takes. Names in assets/ hold a hash of the content, so browsers
// keep these files; of all others they ask whether they have changed.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { filesBelow } from './plugins.js';

/** @typedef {import('vite').Plugin} Plugin */

const TEXT_OR_WASM = /\.(html|js|css|wasm|svg)$/;

/** By the ending of the compressed file, the best first. */
const ENCODINGS = {
  br: {
    name: 'br',
    compress: (/** @type {Buffer} */ bytes) =>
      promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } })
  },
  gz: { name: 'gzip', compress: (/** @type {Buffer} */ bytes) => promisify(gzip)(bytes, { level: 9 }) }
};

/** Compresses what the plugins before have written. @returns {Plugin} */
export function compressed() {
  let out = '';
  return {
    name: 'attnscope:compressed',
    configResolved(config) {
      out = join(config.root, config.build.outDir);
    },
    async closeBundle() {
      if (this.environment.config.command !== 'build') return;
      const names = filesBelow(out).filter((name) => TEXT_OR_WASM.test(name));
      const work = names.flatMap((name) =>
        Object.entries(ENCODINGS).map(async ([ending, { compress }]) => {
          const bytes = readFileSync(join(out, name));
          const smaller = await compress(bytes);
          if (smaller.length < bytes.length) writeFileSync(join(out, `${name}.${ending}`), smaller);
        })
      );
      await Promise.all(work);
    },
    configurePreviewServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const [path, ...search] = (request.url ?? '/').split('?');
        const name = path.replace(/\/$/, '/index.html');
        response.setHeader('Cache-Control', isHashed(name) ? 'public, max-age=31536000, immutable' : 'no-cache');
        if (TEXT_OR_WASM.test(name)) {
          response.setHeader('Vary', 'Accept-Encoding');
          const ending = request.headers.range ? undefined : endingFor(request.headers['accept-encoding'] ?? '', name);
          if (ending) request.url = [`${name}.${ending}`, ...search].join('?');
        }
        next();
      });

      /** @param {string} accepted @param {string} name */
      function endingFor(accepted, name) {
        return Object.entries(ENCODINGS).find(
          ([ending, encoding]) =>
            takes(accepted, encoding.name) && existsSync(join(out, `${decodeURI(name)}.${ending}`))
        )?.[0];
      }
    }
  };
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
