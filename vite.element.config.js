// Builds element/, which the npm package has as `attnscope/element`: Lit, the charts and the rest are inside; the core
// is the one that the package has beside it.

import { defineConfig } from 'vite';
import { fieldNames } from './web/elements/build/field-names.js';
import { leftAsTheyAre } from './web/elements/build/left-as-they-are.js';

export default defineConfig({
  root: 'web/elements',
  publicDir: 'package',
  plugins: [fieldNames(), leftAsTheyAre()],
  build: {
    outDir: '../../element',
    emptyOutDir: true,
    target: 'es2022',
    lib: { entry: { index: 'element.js', worker: 'run/worker.js' }, formats: ['es'] },
    license: { fileName: 'LICENSES.md' },
    rollupOptions: { output: { chunkFileNames: '[name].js', minify: true } }
  }
});
