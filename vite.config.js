import { defineConfig } from 'vite';
import { offline, staticHtml, verbatimCore } from './web/pages/build/plugins.js';

export default defineConfig({
  root: 'web/pages',
  base: './',
  plugins: [staticHtml(), verbatimCore(), offline()],
  worker: { format: 'es', plugins: () => [verbatimCore()] },
  build: {
    outDir: '../../dist',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { index: 'web/pages/index.html', speed: 'web/pages/speed.html', 'attnscope-calculator': 'web/elements/standalone.js' },
      output: {
        entryFileNames: ({ name }) => (name === 'attnscope-calculator' ? '[name].js' : 'assets/[name]-[hash].js'),
      },
    },
  },
});
