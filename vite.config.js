import { defineConfig } from 'vite';
import { fieldNames } from './web/elements/build/field-names.js';
import { offline, staticHtml } from './web/pages/build/plugins.js';

export default defineConfig({
  root: 'web/pages',
  base: './',
  plugins: [fieldNames(), staticHtml(), offline()],
  worker: { format: 'es' },
  build: {
    outDir: '../../dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: 'web/pages/index.html', speed: 'web/pages/speed.html', train: 'web/pages/train.html' }
    }
  }
});
