// The whole calculator as one template, from the store alone: the build renders it to static HTML, the element keeps it
// live.

import { html, nothing } from 'lit';
import { formView } from '../form/form.js';
import { headlineView } from './headline.js';
import { memoryView } from './memory.js';
import { stepsView } from './steps.js';
import { timelineView } from './timeline.js';
import { formatsView, modelsView } from '../models/models.js';
import { kvCacheView } from './kv-cache.js';
import { presetChips } from '../models/presets.js';
import { exportsView } from './exports.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {import('../form/form.js').Actions} Actions
 * @typedef {{ run: unknown, charts: unknown, code: unknown, importer: unknown, notice?: unknown }} Panels `notice`:
 *   above the answer
 */

/**
 * @param {Store} store
 * @param {Actions} actions
 * @param {Panels} panels
 * @param {import('./exports.js').Exporting} exporting
 * @param {string[]} [messages] what is wrong with what the page around says
 */
export function calculatorView(
  store,
  actions,
  { run, charts, code, importer, notice = nothing },
  exporting,
  messages = []
) {
  const { estimate } = store;
  const stale = store.valid ? '' : 'stale';
  return html`
    <div class="calculator">
      ${presetChips(store, actions)}
      <div class="rail">
        ${messages.map((text) => html`<p class="host-message" role="alert">${text}</p>`)}
        ${formView(store, actions)}
      </div>
      <div class="head">${notice}${headlineView(store)}</div>
      <div class="body ${stale}">
        ${memoryView(estimate, store.training)}
        ${exportsView(exporting)}
        ${stepsView(estimate)}
        ${timelineView(estimate)}
        <section class="panel" id="compare" aria-labelledby="compare-title">${charts}</section>
        <section class="panel" id="run" aria-labelledby="run-title">${run}</section>
        <section class="panel" id="pytorch" aria-labelledby="pytorch-title">${code}</section>
        <section class="panel" id="import" aria-labelledby="import-title">${importer}</section>
        ${kvCacheView(store, actions.set)}
        ${modelsView(store, actions.set)}
        ${formatsView(store, actions.set)}
      </div>
    </div>`;
}
