// How a run is taken along: a link, tables of curves and scores, a script of PyTorch’s; and how it goes another way.

import { html, nothing } from 'lit';
import { formatCount } from '../../../plain/format.js';
import { follows } from '../../form/follows.js';
import { copyButton, saidView } from '../../shared/copy-button.js';

/**
 * @typedef {object} RepeatState
 * @property {{ kind: string, text: string }} said what came of the last copy
 * @property {readonly { name: string, title: string }[]} variants
 * @property {string} variant whose script it is
 * @property {string} script where it is shown
 * @property {string} problem why there is none
 * @property {boolean} open whether it is shown
 * @property {boolean} canPrint whether there is something to print
 * @property {boolean} ran whether there is a run
 * @property {boolean} scored whether a run of it is done
 * @property {readonly number[]} moments to which all runs can go back
 * @property {number} moment
 * @property {string} lr as it is typed
 * @property {string} error what is wrong with it
 *
 * @typedef {object} RepeatActions
 * @property {() => void} link
 * @property {() => void} curves
 * @property {() => void} scores
 * @property {() => void} copy
 * @property {() => void} download
 * @property {(open: boolean) => void} toggle
 * @property {(name: string) => void} choose
 * @property {(patch: { moment?: number, lr?: string }) => void} set
 * @property {() => void} fork
 */

/** @param {RepeatState} state @param {RepeatActions} actions */
export function repeatView(state, actions) {
  const { said, variants, variant, script, problem, open, canPrint, ran, scored } = state;
  const off = canPrint ? 'false' : 'true';
  const saidOf = (/** @type {string} */ kind) => (said.kind === kind ? said.text : '');
  return html`
    <div class="panel-head"><h2 class="panel-title" id="contest-repeat">Repeat it, or go on another way</h2>
      <div class="actions">
        ${copyButton({ label: 'Copy link', said: saidOf('link'), copy: actions.link, kind: 'link' })}
        <button class="button" type="button" data-action="scores-csv" aria-disabled=${scored ? 'false' : 'true'} @click=${actions.scores}>Scores as CSV</button>
        <button class="button" type="button" data-action="curves-csv" aria-disabled=${ran ? 'false' : 'true'} @click=${actions.curves}>Curves as CSV</button>
        ${saidView(said.text)}
      </div></div>
    <p class="note">The link has all settings, and a fork’s rates: it gives the same runs.</p>
    ${forkView(state, actions)}
    <div class="contest-script">
      <label>PyTorch of <select name="script-variant" @change=${(/** @type {any} */ event) => actions.choose(event.target.value)}>${variants.map(
        ({ name, title }) =>
          html`<option value=${name} ?selected=${name === variant} ${follows('selected', name === variant)}>${title}</option>`
      )}</select></label>
      ${copyButton({ label: 'Copy PyTorch', said: saidOf('script'), copy: actions.copy, kind: 'script', off, small: true })}
      <button class="button small" type="button" data-action="script" aria-disabled=${off} @click=${actions.download}>Download .py</button>
    </div>
    <details class="twin" ?open=${open} @toggle=${(/** @type {any} */ event) => actions.toggle(event.target.open)}>
      <summary>The script, of the first seed</summary>
      ${problem ? html`<p class="note">There is no script: ${problem}.</p>` : nothing}
      ${script ? html`<pre class="code" tabindex="0" role="group" aria-label="The script in PyTorch"><code>${script}</code></pre>` : nothing}
    </details>`;
}

/** @param {RepeatState} state @param {RepeatActions} actions */
function forkView({ moments, moment, lr, error }, { set, fork }) {
  if (moments.length === 0) return nothing;
  return html`<form class="contest-fork" novalidate @submit=${(/** @type {Event} */ event) => {
    event.preventDefault();
    fork();
  }}>
    <label>Go back to step <select name="moment" @change=${(/** @type {any} */ event) => set({ moment: Number(event.target.value) })}>${moments.map(
      (step) =>
        html`<option value=${step} ?selected=${step === moment} ${follows('selected', step === moment)}>${formatCount(step)}</option>`
    )}</select></label>
    <label>and on at the rate <input class="number" name="fork-lr" type="text" inputmode="decimal" autocomplete="off" .value=${lr}
      aria-invalid=${error ? 'true' : 'false'} aria-describedby=${error ? 'error-fork' : nothing} @input=${(/** @type {any} */ event) => set({ lr: event.target.value })}></label>
    <button class="button small" type="submit" data-action="fork">Fork</button>
    ${error ? html`<p class="field-error" id="error-fork" role="alert">${error}</p>` : nothing}
  </form>`;
}
