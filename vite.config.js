import { defineConfig } from 'vite';
import { fieldNames } from './web/elements/build/field-names.js';
import { offline, staticHtml, verbatimCore } from './web/pages/build/plugins.js';

export default defineConfig({
  root: 'web/pages',
  base: './',
  plugins: [fieldNames(), staticHtml(), verbatimCore(), offline()],
  worker: { format: 'es', plugins: () => [verbatimCore()] },
  build: {
    outDir: '../../dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: 'web/pages/index.html', speed: 'web/pages/speed.html' },
    },
  },
});
