// The pages before any script, rendered in Node by the modules that they load: the calculator at its defaults, the
// guide, the labs in their first state, the speed page before anything is measured, and the training page before
// anything has run.

import { html } from 'lit';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import { open } from '../../lib/index.js';
import { calculatorView } from '../../elements/calculator/view.js';
import { chartsStaticView } from '../../elements/charts/tables.js';
import { codeView } from '../../elements/code/view.js';
import { importHead } from '../../elements/import/view.js';
import { staticContest } from '../../elements/attention-or-dense/lab/static.js';
import { staticMinute } from '../../elements/attention-or-dense/minute/static.js';
import { chapterCards, labCards, labHead, labWays } from '../../elements/labs/list.js';
import { staticLab } from '../../elements/labs/static.js';
import { readPanels } from '../../elements/calculator/panels.js';
import { FIRST_MODEL, wholeModel } from '../../elements/models/models.js';
import { presetValues, startWithPreset } from '../../elements/models/presets.js';
import { staticRun } from '../../elements/run/static.js';
import { Store } from '../../plain/store.js';
import { speedView, unmeasured } from '../../elements/speed/view.js';
import { staticTrain } from '../../elements/train/static.js';
import { embeddedView } from '../embedded.js';
import { guideView } from '../guide.js';
import { speedGuideView } from '../speed-guide.js';
import { documentView } from './documents.js';
import { rootOf, shell } from './shell.js';

/**
 * @param {string} file the page's, such as `run/index.html`
 * @param {string} page its HTML
 * @returns {Promise<Record<string, string>>} HTML for each of its placeholders `<!--name-->`
 */
export async function prerender(file, page) {
  const scope = await open({ threads: 1 });
  const parts = Object.entries(contents(scope, file, page)).filter(([name]) => page.includes(`<!--${name}-->`));
  const rendered = await Promise.all(parts.map(async ([name, make]) => [name, await toHtml(await make())]));
  return { ...shell(file, page), ...Object.fromEntries(rendered) };
}

const nothingHappens = () => {};
const silent = { choose: nothingHappens, toggle: nothingHappens, take: nothingHappens, bring: nothingHappens };

/**
 * What a page may hold.
 * @param {import('../../lib/index.js').Attnscope} scope @param {string} file @param {string} page
 * @returns {Record<string, () => unknown>}
 */
const contents = (scope, file, page) => ({
  calculator() {
    const store = new Store(scope);
    if (file === MODELS) store.set(presetValues(store, wholeModel(FIRST_MODEL)));
    startWithPreset(store);
    return staticCalculator(
      store,
      rootOf(file) || './',
      readPanels(/ panels="([^"]*)"/.exec(page)?.[1] ?? null).panels
    );
  },
  guide: () => guideView(scope),
  embedded: () => embeddedView(),
  document: () => documentView(file, rootOf(file)),
  labs: () => labCards(scope),
  chapters: () => chapterCards(scope),
  labhead: () => labHead(labOf(file)),
  lab: () => staticLab(scope, labOf(file), rootOf(file)),
  labways: () => labWays(labOf(file)),
  minute: () => staticMinute(scope),
  contest: () => staticContest(scope),
  speed: () => speedView(unmeasured, { start: nothingHappens, cancel: nothingHappens, choose: nothingHappens }),
  speedguide: () => speedGuideView(),
  train: () => staticTrain(scope)
});

const MODELS = 'models/index.html';

/** The lab of a page. @param {string} file */
const labOf = (file) => file.replace(/^labs\/|\/index\.html$/g, '');

/**
 * @param {Store} store @param {string} root the way to the site's first page
 * @param {readonly import('../../elements/calculator/panels.js').Panel[]} panels
 */
function staticCalculator(store, root, panels) {
  return calculatorView(
    store,
    { set: nothingHappens, calculate: nothingHappens },
    {
      charts: html`<attnscope-charts>${chartsStaticView(store)}</attnscope-charts>`,
      run: html`<attnscope-run>${staticRun(store)}</attnscope-run>`,
      code: html`<attnscope-code>${codeView(store, { source: store.source.module, text: store.source.module })}</attnscope-code>`,
      notice: html`<p class="stale-note linked-note" role="status">This is the default layer. The one that the link asks for comes when the module has loaded.</p>`,
      importer: html`<attnscope-import>${importHead()}<p class="note">Fills the form from the file. This needs JavaScript.</p></attnscope-import>`
    },
    { kind: '', said: '', linked: true, export: nothingHappens },
    { panels, tab: null, folded: true, open: false, live: false, root, see: null, ...silent }
  );
}

/** @param {unknown} template */
async function toHtml(template) {
  const text = await collectResult(render(template));
  return text.replace(/<!--\/?lit-[^>]*-->|<!--lit-node \d+-->|<!--\?-->/g, '');
}
