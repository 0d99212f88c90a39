// The core's .wasm is most of what a page loads, and the module that asks for it comes late: it is on its way from here
// on, in the build that shared/scope.js opens. Pages that open no core at once have no address of it on their script.

import { relaxedSimd } from 'wasm-feature-detect';
import { buildName } from '../../lib/build-name.js';

const script = document.currentScript;

async function preload() {
  const name = buildName(await relaxedSimd(), globalThis.crossOriginIsolated);
  document.documentElement.dataset.core = name;
  const href = script?.getAttribute(`data-${name}`);
  if (!href) return;
  const link = document.createElement('link');
  Object.assign(link, { rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href });
  document.head.append(link);
}

preload();
