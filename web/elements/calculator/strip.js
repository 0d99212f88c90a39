// The answer in one line, which stays in sight while the answer itself is out of it.

import { html, nothing } from 'lit';
import { formatBytes, formatShort } from '../../plain/format.js';
import { modelOf, subjectOf } from '../models/model.js';
import { partText } from '../../plain/model.js';

/**
 * @typedef {import('../../plain/store.js').Store} Store
 * @typedef {{ kind: 'folded' | 'over' | 'alone', form: boolean, open: boolean, toggle: () => void }} Strip `folded`:
 *   the answer itself is in sight; `alone`: there is none; `form`: there is one, which `open` shows where it is a sheet
 */

/** @param {Store} store @param {Strip} strip */
export function stripView(store, { kind, form, open, toggle }) {
  const { parameters, macs, memory } = store.estimate;
  const model = modelOf(store);
  const part = model && partText(model);
  return html`
    <div class=${`strip ${kind}`}>
      <div class="strip-line" part="strip">
        <p class=${store.current ? 'strip-figures' : 'strip-figures stale'} aria-hidden="true">
          <span class=${model ? 'strip-layer model' : 'strip-layer'}>${subjectOf(store)}${part ? html`<span class="strip-more">, ${part}</span>` : nothing}</span>
          <span><b>${formatShort(parameters)}</b> parameters</span>
          <span><b>${formatShort(macs)}</b> MACs</span>
          <span><b>${formatBytes(memory.inference_total)}</b><span class="strip-more"> to infer</span></span>
        </p>
        ${
          form
            ? html`<button class=${store.valid ? 'button small sheet-button' : 'button small sheet-button wrong'} type="button" aria-expanded=${open ? 'true' : 'false'} aria-controls="layer-form"
          @click=${toggle}>${open ? 'Done' : 'Edit'}<span class="hidden"> the layer</span></button>`
            : nothing
        }
      </div>
    </div>`;
}
