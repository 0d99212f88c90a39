// What a run has to show beside its heat map, as templates.

import { html, nothing } from 'lit';
import { formatBytes, formatCount, formatList, formatThings } from '../../plain/format.js';
import { shownValues } from '../../plain/python.js';
import { copyButton, saidView } from '../shared/copy-button.js';

/** @typedef {import('./run-panel.js').Result} Result */

const BUILDS = /** @type {Record<string, string>} */ ({
  'relaxed-threads': 'relaxed SIMD',
  relaxed: 'relaxed SIMD',
  'simd-threads': 'SIMD',
  simd: 'SIMD'
});

/** @param {{ name: string, threads: number, reason: string }} build */
export const buildView = ({ name, threads, reason }) => html`
  <p class="build"><b>WebAssembly, ${BUILDS[name] ?? name}, ${formatThings(threads, 'thread')}</b>${reason ? html` <span>${reason}</span>` : nothing}</p>`;

/**
 * The title; how far a run is; the seed and the button that runs, which stays where it is while it runs, and so does
 * the focus on it.
 * @param {{ seed: unknown, seedError: string, again: boolean, idle: boolean,
 *   progress: import('./run-panel.js').Progress | null, still?: boolean, type?: (event: Event) => void,
 *   run?: () => void, cancel?: () => void }} controls `still`: before any script
 */
export const headView = ({ seed, seedError, again, idle, progress, still, type, run, cancel }) => html`
  <div class="run-head">
    <h2 id="run-title" class="panel-title">Run it</h2>
    <div class=${still ? 'run-still' : 'run-controls'}>
      <label class="seed">Seed <input class="number" name=${still ? nothing : 'seed'} inputmode="numeric" autocomplete="off" .value=${String(seed)}
        aria-invalid=${seedError ? 'true' : 'false'} aria-describedby="seed-error" @input=${type}></label>
      <button class="button primary" type="button" data-action=${still ? nothing : 'run'} aria-disabled=${idle ? 'false' : 'true'}
        @click=${run}>Run ${again ? 'again' : 'it'}</button>
    </div>
    <div class="run-status">
      <div class="progress" role="status">
        ${progress ? html`<progress max="1" .value=${progress.done} aria-label="Run"></progress><span>${progress.stage}</span>` : nothing}
      </div>
      ${progress ? html`<button class="button small" type="button" data-action="cancel" @click=${cancel}>Cancel</button>` : nothing}
    </div>
  </div>
  <p class="field-error seed-error" id="seed-error" role="status">${seedError}</p>`;

/**
 * Where the heat map will be.
 * @param {unknown} title @param {unknown} text
 */
export const emptyView = (title, text) => html`
  <div class="run-empty"><div><b>${title}</b><p>${text}</p></div></div>`;

/** What runs by itself. */
export const coming = () =>
  emptyView(
    html`<span class="with-scripts">The first run is on its way</span>`,
    'Who attends to whom is drawn here, by JavaScript and WebAssembly in your browser.'
  );

/**
 * @param {import('../../plain/limits.js').Needs} needs @param {number} limit
 * @param {(patch: Record<string, unknown>) => void} set
 */
export function needsView({ bytes, refusal, offers }, limit, set) {
  const needed = Number.isFinite(bytes) ? formatBytes(bytes) : 'more than can be counted';
  const why = refusal || `This run needs ${needed}; ${formatBytes(limit)} is the limit here`;
  return html`
    <div class="needs" role="status">
      <p>${why}. The figures above hold all the same.${
        offers.length
          ? nothing
          : ' No smaller batch, sequence or stack of layers would fit: the sizes themselves are too large for a browser.'
      }</p>
      <div class="actions">${offers.map(
        ({ field, value }) => html`
        <button class="button" type="button" data-fit=${field} @click=${() => set({ [field]: value })}>Take the largest ${field} that fits, ${formatCount(value)}</button>`
      )}</div>
    </div>`;
}

/**
 * @param {Result} result
 * @param {{ said: string, copy: () => void, download: () => void, filename: string }} actions
 */
export const sameView = ({ seed, outcome, python }, { said, copy, download, filename }) => html`
  <div class="same">
    <div class="panel-head">
      <h3 id="same-title">The same numbers in PyTorch</h3>
      <div class="actions">
        ${copyButton({ label: 'Copy PyTorch', said, copy, small: true })}
        <button class="button small" type="button" @click=${download}>Download ${filename}</button>
        ${saidView(said)}
      </div>
    </div>
    <p>A whole file: it prints the first values of the result ${formatList(outcome.output.shape)}, seed ${seed}: <code class="values" data-values>${shownValues(outcome.output).join('  ')}</code></p>
    <pre class="code" tabindex="0" role="group" aria-labelledby="same-title"><code>${python}</code></pre>
  </div>`;
