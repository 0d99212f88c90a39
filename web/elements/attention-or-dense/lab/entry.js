// What is entered in the lab: a task, its settings and layers, as the address has them, and what is wrong with them.

import { initialValues, readSettings } from '../../../plain/labs/settings.js';
import { misfit } from '../../../plain/attention-or-dense/entrants.js';
import { checkPlan, readAddress, searchOf, settingsOf } from '../../../plain/attention-or-dense/settings.js';
import { sourceOf } from '../../../plain/attention-or-dense/source.js';
import { loadData, taskNamed, tasks } from '../../../plain/attention-or-dense/tasks.js';
import { inSteps, variants } from '../../../plain/attention-or-dense/variants.js';
import { columnsAfter } from '../../../plain/tables/proposal.js';
import { TableFiles } from '../../table-file/table-files.js';
import { nextFrame } from '../../train/frame.js';

/**
 * @typedef {import('../../../plain/attention-or-dense/settings.js').Checked} Checked
 * @typedef {import('../../../plain/attention-or-dense/tasks.js').Task} Task
 * @typedef {import('../../../lib/index.js').Attnscope} Scope
 * @typedef {import('../../../plain/attention-or-dense/source.js').Source} Source
 */

/** @type {Checked} */
const UNCHECKED = { plan: null, errors: {}, variants: [] };

/**
 * With no more examples to train on than a file has; what was not known before the file is as it proposes.
 * @param {Record<string, any>} given @param {import('../../../plain/tables/table.js').Table | null} table
 */
function fitting(given, table) {
  const task = taskNamed(given.task);
  if (!task || !table) return given;
  const entered = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const settings = settingsOf(task, table, entered);
  const { values } = readSettings(settings, entered, initialValues(settings));
  try {
    return { ...entered, samples: Math.min(values.samples, sourceOf(task, values, table).most) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return entered; // checkPlan() says why
  }
}

export class Entry {
  #changed;

  /**
   * @param {Scope} scope
   * @param {(gesture?: string) => void} changed the reader has changed something; `gesture`: one by one without
   */
  constructor(scope, changed) {
    this.scope = scope;
    this.#changed = changed;
    /** As it was typed. @type {Record<string, any>} */
    this.entered = readAddress('').values;
    /** The last that were right. @type {Record<string, any>} */
    this.values = {};
    this.checked = UNCHECKED;
    /** The last that had a plan, of this task. @type {Checked | null} */
    this.valid = null;
    /** What examples are made of, null where that is not known. @type {Source | null} */
    this.source = null;
    /** What the link asks for and cannot have. @type {string[]} */
    this.leftOut = [];
    this.files = new TableFiles({
      values: () => this.entered,
      check: (values, table) => {
        const { plan, errors } = this.#planOf(
          fitting({ ...readAddress('?task=file').values, ...values }, table),
          table
        );
        return /** @type {any} */ ({ data: plan, errors });
      },
      set: (values) => {
        this.entered = fitting({ ...this.entered, ...values }, this.files.table(values));
        this.values = {};
        this.set({});
      },
      changed: () => this.#changed(),
      drawn: nextFrame
    });
  }

  /** @returns {Task} */
  get task() {
    return taskNamed(this.entered.task) ?? tasks[0];
  }

  /** The file that the settings are of, of a task that needs one. */
  get table() {
    return this.task.file ? this.files.table(this.entered) : null;
  }

  get settings() {
    return settingsOf(this.task, this.table, this.entered);
  }

  /**
   * What an address asks for. What it does not name is as at first.
   * @param {string} search @param {readonly string[]} [repeated] what it says more than once
   */
  async load(search, repeated = []) {
    const { values, errors, strangers } = readAddress(search);
    await loadData(values.task);
    const strange = strangers.map((name) => `this task has no setting ${name}`);
    this.leftOut = [...repeated, ...Object.values(errors), ...strange];
    this.entered = values;
    this.values = {};
    this.valid = null;
    this.check();
    if (this.task.file) this.files.openNamed();
  }

  /** @param {Record<string, any>} patch @param {string} [gesture] */
  async set(patch, gesture) {
    const task = taskNamed(patch.task ?? this.entered.task) ?? this.task;
    if (task !== this.task) {
      await loadData(task.name);
      this.entered = { ...readAddress(`?task=${task.name}`).values, ...(task.file ? this.files.settings() : {}) };
      this.values = {};
      this.valid = null;
    } else this.entered = { ...this.entered, ...(this.table ? columnsAfter(this.table, patch) : {}), ...patch };
    this.leftOut = [];
    this.check();
    this.#changed(gesture);
  }

  check() {
    const { settings } = this;
    const before = { ...initialValues(settings), ...this.values };
    this.values = readSettings(settings, this.entered, before).values;
    this.checked = this.#planOf(this.entered, this.table);
    if (this.checked.plan) this.valid = this.checked;
    this.source = this.#sourceOf();
  }

  /** @returns {Source | null} */
  #sourceOf() {
    try {
      return sourceOf(this.task, this.values, this.table);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return null;
    }
  }

  /** @param {Record<string, any>} entered @param {import('../../../plain/tables/table.js').Table | null} table */
  #planOf(entered, table) {
    return checkPlan(/** @type {any} */ (this.scope), entered, table);
  }

  /** The layers that are set; those of the last valid plan while something is refused. */
  get entrants() {
    return (this.checked.plan ? this.checked : (this.valid ?? this.checked)).variants;
  }

  /** A sentence where most held-out words of a file are [unk], by the first seed; or ''. */
  get unknown() {
    const { source, values } = this;
    return (source?.report && source.unknown?.(this.scope, values.first_seed, values.samples)) || '';
  }

  /** The address of the plan, '' where there is none. */
  get search() {
    return this.checked.plan ? searchOf(this.checked.plan) : '';
  }

  /** Every variant: whether it is chosen, and why it does not fit. */
  candidates() {
    const { source, values, entered } = this;
    const step = source?.step ?? 'step';
    const chosen = /** @type {string[]} */ (entered.variants ?? []);
    return variants.map((variant) => ({
      ...inSteps(variant, step),
      chosen: chosen.includes(variant.name),
      reason: source ? misfit(variant, source, values.budget !== null) : ''
    }));
  }

  /** @param {string} name @param {boolean} chosen */
  choose(name, chosen) {
    const before = /** @type {string[]} */ (this.entered.variants);
    return this.set({ variants: chosen ? [...before, name] : before.filter((one) => one !== name) });
  }

  /** Another one in the place of a variant. @param {string} name @param {string} other */
  swap(name, other) {
    const before = /** @type {string[]} */ (this.entered.variants);
    return this.set({ variants: before.map((one) => (one === name ? other : one)) });
  }
}
