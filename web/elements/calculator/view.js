// The whole calculator as one template, from the store alone: the build renders it to static HTML, the element keeps it
// live.

import { html, nothing } from 'lit';
import { classMap } from 'lit/directives/class-map.js';
import { formView } from '../form/form.js';
import { headlineView, leftOutNote, staleNote } from './headline.js';
import { memoryView } from './memory.js';
import { stepsView } from './steps.js';
import { timelineView } from './timeline.js';
import { formatsView, modelsView } from '../models/models.js';
import { kindsView } from './cache-kinds.js';
import { cacheView } from './kv-cache.js';
import { presetChips } from '../models/presets.js';
import { exportsView } from './exports.js';
import { TABS } from './panels.js';
import { stripView } from './strip.js';
import { tabsOf, tabsView } from './tabs.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../form/form.js').Actions} Actions
 * @typedef {import('./panels.js').Panel} Panel
 * @typedef {{ run: unknown, charts: unknown, code: unknown, importer: unknown, notice?: unknown }} Parts those that are
 *   elements of their own; `notice`: above the answer
 * @typedef {{ panels: readonly Panel[], tab: string | null, folded: boolean, open: boolean, live: boolean,
 *   root: string | null, see: import('./steps.js').See, choose: (tab: string) => void, toggle: () => void, take:
 *   (name: string) => void,
 *   bring: (patch: Record<string, unknown>) => void }} Layout `tab`: the one that is shown, null where there are no
 *   tabs; `folded`: the answer itself is in sight; `open`: the form is, where it is a sheet; `live`: buttons do
 *   something; `root`: the way to the site's first page, null elsewhere; `bring`: sets values, and brings the
 *   answer into view; `take`: the same with a published model
 */

/**
 * @param {Store} store
 * @param {Actions} actions
 * @param {Parts} parts
 * @param {import('../shared/copy-button.js').Exporting} exporting
 * @param {Layout} layout
 * @param {string[]} [messages] what is wrong with what the page around says
 */
export function calculatorView(store, actions, parts, exporting, layout, messages = []) {
  const { panels, folded, live, open, toggle, root } = layout;
  const has = (/** @type {Panel} */ panel) => panels.includes(panel);
  const inSight = folded ? 'folded' : 'over';
  const kind = has('answer') ? inSight : 'alone';
  return html`
    ${messages.map((text) => html`<p class="host-message" role="alert">${text}</p>`)}
    ${has('answer') ? nothing : html`${leftOutNote(store)}${store.current ? nothing : staleNote(store, has('form'))}`}
    ${has('form') ? stripView(store, { kind, form: live, open, toggle }) : nothing}
    <div class=${classMap({ calculator: true, formless: !has('form'), headless: !has('answer'), card: panels.length === 1 && has('answer') })}>
      ${has('presets') ? presetChips(store, actions, root) : nothing}
      ${has('form') ? html`<div class=${open ? 'rail open' : 'rail'} part="form" id="layer-form" tabindex="-1">${formView(store, actions)}</div>` : nothing}
      ${has('answer') ? html`<div class="head">${parts.notice ?? nothing}${headlineView(store, exporting, has('form'))}</div>` : nothing}
      <div class=${classMap({ body: true, stale: !store.valid, refused: store.refused })}>${bodyView(store, actions, parts, exporting, layout)}</div>
    </div>`;
}

/**
 * @param {Store} store @param {Actions} actions @param {Parts} parts
 * @param {import('../shared/copy-button.js').Exporting} exporting @param {Layout} layout
 */
function bodyView(store, actions, parts, exporting, { panels, tab, see, choose, bring, take }) {
  const { estimate } = store;
  /** @type {Partial<Record<Panel, () => unknown>>} */
  const views = {
    memory: () => memoryView(estimate, store.training),
    export: () => exportsView(exporting),
    steps: () => stepsView(estimate, see),
    timeline: () => timelineView(estimate, see),
    compare: () => section('compare', parts.charts),
    pytorch: () => section('pytorch', parts.code),
    run: () => section('run', parts.run),
    config: () => section('import', parts.importer),
    models: () => modelsView(store, { set: bring, take }),
    cache: () => cacheView(store, panels),
    kinds: () => kindsView(store, panels, bring),
    formats: () => formatsView(store, actions.set)
  };
  const shown = (/** @type {readonly Panel[]} */ some) => some.map((panel) => views[panel]?.() ?? nothing);
  if (tab === null) return shown(panels);
  const tabs = tabsOf(panels);
  const grouped = TABS.flatMap((one) => one.panels);
  return html`
    ${tabsView(panels, tab, choose)}
    ${tabs.map(
      ({ id, panels: own }) => html`
      <div class="tab" role="tabpanel" id=${`panel-${id}`} aria-labelledby=${`tab-${id}`} ?hidden=${id !== tab}>${shown(own.filter((panel) => panels.includes(panel)))}</div>`
    )}
    ${shown(panels.filter((panel) => !grouped.includes(panel)))}`;
}

/** @param {string} id @param {unknown} content */
const section = (id, content) => html`
  <section class="panel" part="panel" id=${id} aria-labelledby=${`${id}-title`}>${content}</section>`;
