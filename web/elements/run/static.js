// The panel before any script: what stands above the heat map, and the place where it will be.

import { html } from 'lit';
import { DRAWN } from '../../plain/inputs.js';
import { PATTERNS } from '../../plain/patterns.js';
import { inputsView } from './inputs-view.js';
import { coming, headView } from './view.js';

/** Nothing in it can be used before it is live. @param {import('../../plain/store.js').Store} store */
export const staticRun = ({ estimate }) => html`
  <div inert>
    ${headView({ seed: 0, seedError: '', again: false, idle: false, progress: null, still: true })}
    ${inputsView(estimate.inputs, { ...DRAWN, pattern: PATTERNS[0].name }, null)}
    <div class="run-results"><div class="run-view">${coming()}</div></div>
  </div>`;
