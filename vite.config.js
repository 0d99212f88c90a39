import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vite';
import { convertedModels } from './web/elements/build/converted-models.js';
import { fieldNames } from './web/elements/build/field-names.js';
import { addresses } from './web/pages/build/addresses.js';
import { compressed } from './web/pages/build/compressed.js';
import { head } from './web/pages/build/head.js';
import { missingPage } from './web/pages/build/missing-page.js';
import { offline, staticHtml } from './web/pages/build/plugins.js';

/** The HTML files of the site. @param {string} folder */
const pagesBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /(^|\/)(index|404)\.html$/.test(file))
    .map((file) => join(folder, file));

export default defineConfig({
  root: 'web/pages',
  base: './',
  appType: 'mpa',
  plugins: [fieldNames(), convertedModels(), staticHtml(), head(), missingPage(), addresses(), offline(), compressed()],
  worker: { format: 'es' },
  build: {
    outDir: '../../dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: pagesBelow('web/pages')
    }
  }
});
