// The page before any script: the calculator at its defaults and the guide, rendered in Node by the module that the page loads.

import { html } from 'lit';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import { open } from '../../lib/index.js';
import { calculatorView } from '../../elements/calculator-view.js';
import { chartsStaticView } from '../../elements/charts/tables.js';
import { codeView } from '../../elements/code/view.js';
import { importHead } from '../../elements/import/view.js';
import { Store } from '../../elements/state/store.js';
import { guideView } from '../guide.js';

/** @returns {Promise<Record<string, string>>} HTML for each placeholder `<!--name-->` of index.html */
export async function prerender() {
  const scope = await open({ threads: 1 });
  return {
    calculator: await toHtml(staticCalculator(new Store(scope))),
    guide: await toHtml(guideView(scope)),
  };
}

/** @param {Store} store */
function staticCalculator(store) {
  const nothingHappens = () => {};
  const source = store.scope.pytorch(store.config);
  return calculatorView(store, { set: nothingHappens, calculate: nothingHappens }, {
    charts: html`<attnscope-charts>${chartsStaticView(store)}</attnscope-charts>`,
    run: html`<attnscope-run><div class="panel-head"><h2 id="run-title" class="panel-title">Run it</h2></div>
      <p class="note">Runs the layer here, in your browser, and draws its weights. This needs JavaScript and WebAssembly.</p></attnscope-run>`,
    code: html`<attnscope-code>${codeView({ source, text: source, filename: `${store.config.layer}.py` })}</attnscope-code>`,
    importer: html`<attnscope-import>${importHead()}<p class="note">Fills the form from the file. This needs JavaScript.</p></attnscope-import>`,
  }, { said: '', export: nothingHappens });
}

/** @param {unknown} template */
async function toHtml(template) {
  const text = await collectResult(render(template));
  return text.replace(/<!--\/?lit-[^>]*-->|<!--lit-node \d+-->|<!--\?-->/g, '');
}
