// The tables that were opened, and the one that is being read.

import { fitted } from '../../plain/tables/proposal.js';
import { exampleTables } from '../../plain/tables/example-tables.js';
import { checkSize, readTable } from '../../plain/tables/table.js';

/**
 * @typedef {import('../../plain/fields.js').Values} Values
 * @typedef {import('../../plain/train/settings.js').Checked} Checked
 * @typedef {import('../../plain/tables/table.js').Table} Table
 * @typedef {Omit<import('./file-view.js').FileState, 'table'>} Reading
 *
 * @typedef {object} Page
 * @property {() => Values} values that are entered
 * @property {(values: Values, table: Table) => Checked} check
 * @property {(values: Values) => void} set
 * @property {() => void} changed
 * @property {() => Promise<unknown>} drawn resolves once the page shows the last change
 */

export class TableFiles {
  #page;
  /** All of them: *Back* leads to the one before. @type {Map<string, Table>} */
  #tables = new Map();
  /** @type {Table | null} */
  #last = null;
  /** @type {Reading} */
  #state = { reading: '', error: '', note: '', over: false };

  /** @param {Page} page */
  constructor(page) {
    this.#page = page;
  }

  get state() {
    return this.#state;
  }

  /** @param {Reading} state */
  #show(state) {
    this.#state = state;
    this.#page.changed();
  }

  /** What is said of the last file is no longer so. */
  forgive() {
    if (this.#state.error) this.#show({ ...this.#state, error: '' });
  }

  /** The file that the settings are of, if it was opened. */
  table(values = this.#page.values()) {
    return this.#tables.get(`${values.file} ${values.checksum}`) ?? null;
  }

  /** Opens the rows of a kept run. @param {Table} table */
  put(table) {
    this.#tables.set(`${table.name} ${table.checksum}`, table);
    this.#last = table;
  }

  /** What the file that was opened last proposes. @returns {Values} */
  settings() {
    return this.#last ? ofTable(this.#last) : {};
  }

  /** The example that a link names is opened at once. */
  openNamed() {
    const { file } = this.#page.values();
    if (!this.table() && exampleTables.some(({ name }) => name === file)) this.openExample(String(file));
  }

  /** @param {File} file */
  open(file) {
    return this.#read(file.name, async () => {
      checkSize(file.name, file.size);
      return new Uint8Array(await file.arrayBuffer());
    });
  }

  /** @param {string} name */
  openExample(name) {
    const example = exampleTables.find((one) => one.name === name);
    return this.#read(name, async () => new TextEncoder().encode(example?.text()));
  }

  /** @param {DragEvent} event */
  drag(event) {
    event.preventDefault();
    const box = /** @type {Element} */ (event.currentTarget);
    const isOver =
      event.type !== 'drop' &&
      (event.type !== 'dragleave' || box.contains(/** @type {Node | null} */ (event.relatedTarget)));
    if (isOver !== this.#state.over && !this.#state.reading) this.#show({ ...this.#state, over: isOver });
    const [file] = (event.type === 'drop' && event.dataTransfer?.files) || [];
    if (file) this.open(file);
  }

  /**
   * Takes a file if something can be trained on it, and else says why, and changes nothing.
   * @param {string} name @param {() => Promise<Uint8Array>} load
   */
  async #read(name, load) {
    const state = { reading: name, error: '', note: '', over: false };
    this.#show(state);
    const isLast = () => this.#state === state; // else another one was opened meanwhile
    try {
      const bytes = await load();
      await this.#page.drawn(); // that it is being read is said first
      const table = await readTable(name, bytes);
      if (isLast()) this.#take(table);
    } catch (error) {
      if (!isLast()) return;
      const { message } = /** @type {Error} */ (error);
      this.#show({
        ...state,
        reading: '',
        error: error instanceof RangeError ? message : `${name} cannot be read: ${message}`
      });
    }
  }

  /** @param {Table} table */
  #take(table) {
    const given = this.#page.values();
    const { task, file, checksum } = given;
    const isWanted = !this.table() && Boolean(file) && (table.name === file || table.checksum === checksum);
    const values = ofTable(table, isWanted ? given : {});
    const { data, errors } = this.#page.check({ task, ...values }, table);
    if (!data) throw new RangeError(Object.values(errors)[0]);
    this.put(table);
    const isOther = isWanted && Boolean(checksum) && table.checksum !== checksum;
    this.#show({
      ...this.#state,
      reading: '',
      note: isOther ? `This is not the ${file} of the link: what is in it differs.` : ''
    });
    this.#page.set(values);
  }
}

/**
 * The settings that a table brings along.
 * @param {Table} table @param {Values} [given]
 */
const ofTable = (table, given) => ({
  labels: '',
  ...given,
  file: table.name,
  checksum: table.checksum,
  ...fitted(table, given)
});
