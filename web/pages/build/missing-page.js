// 404.html, the page for addresses that lead nowhere. A host sends it under any address, where its relative links would
// be wrong: its style, its icon and its script are made part of it, and the script finds the way to everything else.

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { policy } from '../../../tools/headers.js';
import { filesBelow, outOf } from './plugins.js';

/** @typedef {import('vite').Plugin} Plugin */

/** Makes 404.html stand by itself. Comes before the list of files for offline use. @returns {Plugin} */
export function missingPage() {
  return {
    name: 'attnscope:missing-page',
    apply: 'build',
    closeBundle() {
      const out = outOf(this.environment.config);
      const file = join(out, '404.html');
      const folders = filesBelow(out)
        .filter((name) => /(^|\/)index\.html$/.test(name))
        .map((name) => name.replace(/index\.html$/, ''));
      writeFileSync(
        file,
        standalone(readFileSync(file, 'utf8'), folders, (name) => readFileSync(join(out, name), 'utf8'))
      );
    }
  };
}

/**
 * @param {string} page @param {string[]} folders of the site's pages
 * @param {(name: string) => string} read a file of the site
 */
function standalone(page, folders, read) {
  const head = page.slice(0, page.indexOf('</head>'));
  const styles = all(head, /<link rel="stylesheet"[^>]* href="\.\/([^"]+)"/g);
  const modules = all(page, /<script type="module"[^>]* src="\.\/([^"]+)"/g);
  const style = styles
    .map(read)
    .join('\n')
    .replace(/@font-face\s*{[^}]*}/g, '');
  const [beforePaint] = all(head, /<script src="([^"]+)"/g);
  const script = `${read(beforePaint)}\n${readFileSync(new URL('./missing.js', import.meta.url), 'utf8')}`
    .replace("['PAGES']", JSON.stringify(folders.sort()))
    .replace("['STYLES']", JSON.stringify(styles))
    .replace("['MODULES']", JSON.stringify(modules));
  const own = policy
    .replace("script-src 'self'", `script-src 'self' ${hashOf(script)}`)
    .replace("style-src 'self'", `style-src 'self' ${hashOf(style)}`);
  return page
    .replace(
      / *<(link rel="(stylesheet|preload|modulepreload|icon)"|meta (property="og:|name="twitter:))[^>]*>\n?/g,
      ''
    )
    .replace(/ *<script[^>]*><\/script>\n?/g, '')
    .replace(
      '</head>',
      () =>
        `  <link rel="icon" href="data:image/svg+xml,${encodeURIComponent(read('icon.svg'))}">
  <meta http-equiv="Content-Security-Policy" content="${own}">\n  <style>${style}</style>\n  <script>${script}</script>\n</head>`
    );
}

/** @param {string} text @param {RegExp} pattern */
const all = (text, pattern) => [...text.matchAll(pattern)].map(([, found]) => found);

/** By which a Content-Security-Policy names a script or a style of the page itself. @param {string} text */
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
