import { html } from 'lit';
import { copyButton, saidView } from '../shared/copy-button.js';

/**
 * @param {{ source: unknown, text: string, filename: string, said?: string, copy?: () => void, download?: () => void }}
 *   panel
 */
export const codeView = ({ source, text, filename, said = '', copy, download }) => html`
  <div class="panel-head">
    <h2 id="pytorch-title" class="panel-title">PyTorch <span class="panel-note">${text.split('\n').length - 1} lines;
      run by itself it checks these figures and prints OK</span></h2>
    <div class="actions">
      ${copyButton({ label: 'Copy PyTorch', said, copy })}
      <button class="button" type="button" @click=${download}>Download ${filename}</button>
      ${saidView(said)}
    </div>
  </div>
  <pre class="code" tabindex="0" role="group" aria-labelledby="pytorch-title"><code>${source}</code></pre>`;
