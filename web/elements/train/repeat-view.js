// How a run is repeated: by a link that has all its settings, and in PyTorch by a script.

import { html, nothing } from 'lit';
import { copyButton, saidView } from '../shared/copy-button.js';

/**
 * @typedef {object} RepeatState
 * @property {{ link: string, script: string }} said what came of the last copy of each
 * @property {string} problem why there is no script, '' where there is one
 * @property {string} note what the link or the script leaves out
 * @property {boolean} open whether the script is shown
 * @property {unknown} source the script as it is shown
 * @property {number} lines
 *
 * @typedef {{ link: () => void, copy: () => void, download: () => void,
 *   toggle: (open: boolean) => void }} RepeatActions
 */

/** @type {RepeatState} */
const BEFORE = { said: { link: '', script: '' }, problem: '', note: '', open: false, source: '', lines: 0 };

/** @param {RepeatState | null} state null before there is a script of the page @param {RepeatActions} [actions] */
export function repeatView(state, actions) {
  const { said, problem, note, open, source, lines } = state ?? BEFORE;
  const off = problem ? 'true' : 'false';
  return html`
    <div class="panel-head"><h2 id="repeat-title" class="panel-title">Repeat it</h2>
      <div class="actions">
        ${copyButton({ label: 'Copy link', said: said.link, copy: actions?.link, kind: 'link' })}
        ${copyButton({ label: 'Copy PyTorch', said: said.script, copy: actions?.copy, kind: 'script', off })}
        <button class="button" type="button" data-action="script" aria-disabled=${off} @click=${actions?.download}>Download .py</button>
        ${saidView(said.link || said.script)}
      </div></div>
    <p class="note">The link has all settings, so it gives the same run. The script makes the same data and the same weights in PyTorch, trains them, and holds its losses against those that were found here.${note ? html` <span data-repeat-note>${note}</span>` : nothing}</p>
    ${
      problem
        ? html`<p class="note" data-no-script>There is no script: ${problem}.</p>`
        : html`<details class="twin train-script" ?open=${open} @toggle=${(/** @type {any} */ event) => actions?.toggle(event.target.open)}>
          <summary>The script in PyTorch${open ? `, ${lines} lines` : nothing}</summary>
          ${open ? html`<pre class="code" tabindex="0" role="group" aria-label="The script in PyTorch"><code>${source}</code></pre>` : nothing}
        </details>`
    }`;
}
