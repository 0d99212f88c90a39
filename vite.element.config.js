// Builds element/, which the npm package has as `attnscope/element`: Lit, the charts and the rest are inside; the core
// is the one that the package has beside it.

import { defineConfig } from 'vite';
import { convertedModels } from './web/elements/build/converted-models.js';
import { fieldNames } from './web/elements/build/field-names.js';
import { leftAsTheyAre } from './web/elements/build/left-as-they-are.js';

export default defineConfig({
  root: 'web/elements',
  publicDir: 'package',
  plugins: [fieldNames(), convertedModels(), leftAsTheyAre()],
  build: {
    outDir: '../../element',
    emptyOutDir: true,
    target: 'es2022',
    lib: { entry: { index: 'element.js', worker: 'run/worker.js' }, formats: ['es'] },
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      output: {
        chunkFileNames: '[name].js',
        minify: true,
        codeSplitting: {
          // Two files at the start and not ten: `core` is what the worker needs as well, where there is no DOM.
          groups: [
            { name: 'core', test: /\/web\/(lib\/scope|plain\/(format|outputs|repeats))\.js$/, priority: 2 },
            { name: 'embedded', test: /\/web\/elements\/embedded\.js$/, priority: 1 }
          ]
        }
      }
    }
  }
});
