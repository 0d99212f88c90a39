import { html } from 'lit';
import { follows } from '../form/follows.js';
import { copyButton, saidView } from '../shared/copy-button.js';

/**
 * @param {{ source: unknown, text: string, filename: string, said?: string, selfCheck?: boolean,
 *   check?: (selfCheck: boolean) => void, copy?: () => void, download?: () => void }} panel `source`: `text` as it is
 *   shown
 */
export const codeView = ({ source, text, filename, said = '', selfCheck = false, check, copy, download }) => html`
  <div class="panel-head">
    <h2 id="pytorch-title" class="panel-title">PyTorch <span class="panel-note">${text.split('\n').length - 1} lines</span></h2>
    <div class="actions">
      <label class="switch-label">With self-check
        <input class="switch" type="checkbox" role="switch" aria-describedby="self-check-meaning" ?checked=${selfCheck} ${follows('checked', selfCheck)}
          @change=${(/** @type {any} */ event) => check?.(event.target.checked)}></label>
      ${copyButton({ label: 'Copy PyTorch', said, copy })}
      <button class="button" type="button" @click=${download}>Download ${filename}</button>
      ${saidView(said)}
    </div>
  </div>
  <p class="note" id="self-check-meaning">The self-check draws inputs from a seed, holds what PyTorch counts against
    these figures, and prints OK or each MISMATCH: download the file and run it.</p>
  <pre class="code" tabindex="0" role="group" aria-labelledby="pytorch-title"><code>${source}</code></pre>`;
