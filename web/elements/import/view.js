// The box for a config.json, and the table of what became of its keys.

import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { formatThings } from '../../plain/format.js';
import { shortened } from '../../plain/search.js';

/**
 * @typedef {import('../../lib/index.js').Imported} Imported
 * @typedef {import('../../lib/index.js').ImportedKey} ImportedKey
 *
 * @typedef {object} Panel
 * @property {string} text
 * @property {string} error
 * @property {string} inside the part of a refused file that can be read alone, '' for none
 * @property {() => void} readInside
 * @property {Imported | null} imported what the form was filled from last
 * @property {boolean} current whether that is this text
 * @property {boolean} over whether something is being dragged over the box
 * @property {(text: string) => void} type
 * @property {(file: File) => void} choose
 * @property {(event: DragEvent) => void} drag
 * @property {() => void} leave
 * @property {(event: DragEvent) => void} drop
 */

/** The panel's head, which the page has before any script too. */
export const importHead = () => html`
  <div class="panel-head">
    <h2 id="import-title" class="panel-title">Open a config.json <span class="panel-note">of a Hugging Face model; it is
      read here and sent nowhere</span></h2>
  </div>`;

/** @param {Panel} panel */
export function importView({ text, error, inside, imported, current, over, ...actions }) {
  const refused = refusalOf(error);
  return html`
  ${importHead()}
  <div class=${over ? 'import-box over' : 'import-box'} @dragover=${actions.drag} @dragleave=${actions.leave} @drop=${actions.drop}>
    <div class="import-label">
      <label for="import-text">Paste its text, or drop the file here</label>
      <label class="button small">Choose a file<input class="hidden" type="file" accept=".json,application/json"
        @change=${(/** @type {any} */ event) => chosen(event.target, actions.choose)}></label>
    </div>
    <textarea class="import-text" id="import-text" rows="4" spellcheck="false" autocomplete="off" autocapitalize="off"
      placeholder=${'{ "model_type": "llama", "hidden_size": 4096, … }'} .value=${live(text)}
      aria-invalid=${error ? 'true' : 'false'}
      aria-describedby="import-error" @input=${(/** @type {any} */ event) => actions.type(event.target.value)}></textarea>
    <p class="field-error" id="import-error" role="alert">${refused.text}</p>
    ${inside ? html`<button class="button small" type="button" data-action="inside" @click=${actions.readInside}>Read its ${inside}</button>` : nothing}
    ${typesView(refused.types)}
  </div>
  <p class="note" role="status">${imported && current ? summary(imported) : nothing}</p>
  ${imported ? keysTable(imported, current) : nothing}`;
}

/** The list of model types in a message of fromHuggingFace, and what it says around it. */
const TYPES = /^(.*?)(?:; )?model_type must be one of ([\w-]+(?:, (?!got ")[\w-]+)+)(?:, got ("[^"]*"))?(.*)$/s;

/**
 * A message without its list of types, which is folded.
 * @param {string} message
 * @returns {{ text: string, types: string[] }}
 */
function refusalOf(message) {
  const [, before, list, got, after] = TYPES.exec(message) ?? [];
  if (!list) return { text: message, types: [] };
  const types = list.split(', ');
  if (before) return { text: `${before}${after}.`, types };
  if (got) return { text: `model_type ${got} is not read here${after}${after.endsWith('?') ? '' : '.'}`, types };
  return { text: 'The file has no model_type that says what model it is of.', types };
}

/** @param {readonly string[]} types */
const typesView = (types) =>
  types.length
    ? html`<details class="twin" data-types><summary>The ${types.length} model types that are read</summary><p class="note">${types.join(', ')}</p></details>`
    : nothing;

/**
 * Emptied, so that the same file can be chosen again.
 * @param {HTMLInputElement} input
 * @param {(file: File) => void} choose
 */
function chosen(input, choose) {
  const [file] = input.files ?? [];
  if (file) choose(file);
  input.value = '';
}

/** @param {Imported} imported */
function summary({ family, keys, model }) {
  const count = (/** @type {ImportedKey['use']} */ use) => keys.filter((key) => key.use === use).length;
  const apart = keys.filter(({ differs }) => differs).map(({ key }) => key);
  const what = model.layers ? 'Its attention layers differ' : 'The model differs';
  const outputs = apart.length ? ` ${what} from this layer: see ${apart.join(', ')}.` : '';
  return `The form was filled from this ${family} model: ${formatThings(count('used'), 'key')} used, ${count('defaulted')} defaulted, ${count('ignored')} ignored.${outputs}`;
}

/** @param {Imported} imported @param {boolean} current */
const keysTable = ({ family, keys }, current) => html`
  <div class="scroller import-keys" tabindex="0" role="group" aria-label="Keys of the file">
    <table class="table">
      <caption class="import-caption">The keys of ${current ? `this ${family} file` : `the ${family} file that filled the form last`}</caption>
      <thead><tr><th scope="col">Key</th><th scope="col">Value</th><th scope="col">Use</th><th scope="col">Sets</th><th scope="col">Note</th></tr></thead>
      <tbody>${keys.map(keyRow)}</tbody>
    </table>
  </div>`;

/** @param {ImportedKey} key */
const keyRow = ({ key, value, use, fields, note, differs }) => html`
  <tr class=${differs ? `${use} differs` : use} data-key=${key}>
    <th scope="row"><code>${key}</code></th><td><code>${short(value)}</code></td><td><span class="import-use">${use}</span></td>
    <td>${fields.map((field, i) => html`${i > 0 ? ', ' : ''}<code>${field}</code>`)}</td><td class="import-note">${note ?? ''}${differs ? html`${note ? html`<br>` : nothing}<b>Differs:</b> ${differs}` : nothing}</td>
  </tr>`;

const SHOWN = 24; // characters; a list of layers would fill the screen

/** @param {unknown} value */
function short(value) {
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value); // JSON has no Infinity
  return shortened(text, SHOWN);
}
