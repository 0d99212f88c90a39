// The pages before any script, rendered in Node by the modules that they load: the calculator at its defaults with the
// guide, the speed page before anything is measured, and the training page before anything has run.

import { html } from 'lit';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import { open } from '../../lib/index.js';
import { calculatorView } from '../../elements/calculator/view.js';
import { chartsStaticView } from '../../elements/charts/tables.js';
import { codeView } from '../../elements/code/view.js';
import { importHead } from '../../elements/import/view.js';
import { Store } from '../../plain/store.js';
import { speedView, unmeasured } from '../../elements/speed/view.js';
import { staticTrain } from '../../elements/train/static.js';
import { guideView } from '../guide.js';
import { speedGuideView } from '../speed-guide.js';
import { shell } from './shell.js';

/**
 * @param {string} file the page's
 * @returns {Promise<Record<string, string>>} HTML for each of its placeholders `<!--name-->`
 */
export async function prerender(file) {
  const parts = Object.entries(await contents[file]());
  const rendered = await Promise.all(parts.map(async ([name, template]) => [name, await toHtml(template)]));
  return { ...shell(file), ...Object.fromEntries(rendered) };
}

const nothingHappens = () => {};

/** @type {Record<string, () => Promise<Record<string, unknown>>>} */
const contents = {
  async 'index.html'() {
    const scope = await open({ threads: 1 });
    return { calculator: staticCalculator(new Store(scope)), guide: guideView(scope) };
  },
  async 'speed.html'() {
    return {
      speed: speedView(unmeasured, { start: nothingHappens, cancel: nothingHappens, choose: nothingHappens }),
      guide: speedGuideView()
    };
  },
  async 'train.html'() {
    return { train: staticTrain(await open({ threads: 1 })) };
  }
};

/** @param {Store} store */
function staticCalculator(store) {
  return calculatorView(
    store,
    { set: nothingHappens, calculate: nothingHappens },
    {
      charts: html`<attnscope-charts>${chartsStaticView(store)}</attnscope-charts>`,
      run: html`<attnscope-run><div class="panel-head"><h2 id="run-title" class="panel-title">Run it</h2></div>
      <p class="note">Runs the layer here, in your browser, and draws its weights. This needs JavaScript and
        WebAssembly.</p></attnscope-run>`,
      code: html`<attnscope-code>${codeView({ source: store.source.module, text: store.source.module, filename: `${store.config.layer}.py` })}</attnscope-code>`,
      notice: html`<p class="stale-note linked-note" role="status">This is the default layer. The one that the link asks for comes when the module has loaded.</p>`,
      importer: html`<attnscope-import>${importHead()}<p class="note">Fills the form from the file. This needs JavaScript.</p></attnscope-import>`
    },
    { kind: '', said: '', linked: true, export: nothingHappens }
  );
}

/** @param {unknown} template */
async function toHtml(template) {
  const text = await collectResult(render(template));
  return text.replace(/<!--\/?lit-[^>]*-->|<!--lit-node \d+-->|<!--\?-->/g, '');
}
