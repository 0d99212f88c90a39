// The lab below its first screen: a task, what is set, up to six layers, and what has come of them.

import { html, nothing } from 'lit';
import { formatThings } from '../../../plain/format.js';
import { beforeOf } from '../../../plain/attention-or-dense/tasks.js';
import { unknownView } from '../../table-file/file-view.js';
import { controlView } from './control.js';
import { looksView } from './looks-view.js';
import { questionsView } from './questions-view.js';
import { repeatView } from './repeat-view.js';
import { tensorView } from './tensor-view.js';
import { variantsView } from './variants-view.js';

/**
 * @typedef {import('../contest.js').Contender} Contender
 * @typedef {import('../../../plain/attention-or-dense/settings.js').Plan} Plan
 * @typedef {import('../../../plain/attention-or-dense/entrants.js').Entrant} Entrant
 * @typedef {import('../../../plain/attention-or-dense/tasks.js').Task} Task
 * @typedef {import('../../../plain/attention-or-dense/variants.js').Variant} Variant
 *
 * @typedef {object} State
 * @property {Task} task
 * @property {Record<string, any>} entered as it was typed
 * @property {Record<string, any>} values the last that were right
 * @property {Record<string, string>} errors
 * @property {readonly string[]} leftOut what the link asks for and cannot have
 * @property {import('../../../plain/tables/labelled-rows.js').Report | null} report of the rows of a file
 * @property {string} unknown a sentence where most held-out words of a file are [unk], or ''
 * @property {import('../../../plain/tables/table.js').Table | null} table of a task that needs a file
 * @property {readonly import('../../../plain/labs/settings.js').Setting[]} settings of the task, and of all
 * @property {readonly (Pick<Variant, 'name' | 'title' | 'about'> & { chosen: boolean, reason: string })[]} candidates
 *   every variant; `reason`: why it does not fit the task
 * @property {boolean} refused whether something set is wrong, while what is shown stays
 * @property {boolean} ran whether a step has been made
 * @property {boolean} runnable whether there is a plan
 * @property {boolean} playing
 * @property {boolean} done whether all runs that are set have made their steps
 * @property {boolean} stale whether no run goes on by the settings
 * @property {number} fresh how many runs of another contest have not begun, where the others stay
 * @property {boolean} resumed whether the runs are shown as they were kept
 * @property {number} step
 * @property {readonly Contender[] | readonly (Entrant & { seeds: [] })[]} variants of the run, or of the plan
 *   before one
 * @property {import('../../../plain/attention-or-dense/score.js').Score | null} score
 * @property {readonly import('../../../plain/attention-or-dense/source.js').Opponent[]} opponents rules that are no
 *   layers
 * @property {Plan | null} plan of the run
 * @property {import('./comparison-view.js').Comparison | null} comparison of the runs that are done
 * @property {unknown} curves
 * @property {'score' | 'held_loss' | 'loss'} curve
 * @property {import('./looks-view.js').LooksState} looks
 * @property {import('./tensor-view.js').TensorState} tensor
 * @property {import('./repeat-view.js').RepeatState} repeat
 * @property {import('../../table-file/file-view.js').FileState} file
 * @property {import('./kept-view.js').KeptState} kept
 * @property {string} failure
 * @property {string} said
 *
 * @typedef {object} Actions
 * @property {(patch: Record<string, unknown>, gesture?: string) => void} set
 * @property {() => void} settle
 * @property {() => void} play
 * @property {(search: string) => void} answer runs what an address asks for
 * @property {() => void} pause
 * @property {() => void} step
 * @property {() => void} reset
 * @property {(name: string, chosen: boolean) => void} choose a variant
 * @property {(name: string, other: string) => void} swap a variant for another
 * @property {(kind: State['curve']) => void} draw
 * @property {import('./looks-view.js').LooksActions} looks
 * @property {import('./tensor-view.js').TensorActions} tensor
 * @property {import('./repeat-view.js').RepeatActions} repeat
 * @property {import('../../table-file/table-files.js').TableFiles} file
 * @property {import('./kept-view.js').KeptActions} kept
 */

/** @param {State} state @param {Actions} actions */
export function contestView(state, actions) {
  const { task, leftOut, stale, refused } = state;
  const kind = stale || refused ? 'panel stale' : 'panel';
  return html`
    ${questionsView(actions.answer)}
    <div class="title contest-title" id="run"><h2>Run it: up to six layers on one task</h2></div>
    <div class="lab contest">
      <div class="contest-side">${controlView(state, actions)}</div>
      <div class="lab-main">
        ${leftOut.length ? html`<p class="stale-note" role="status" data-left-out>The link is not followed in all: ${leftOut.join('; ')}.</p>` : nothing}
        <div><p class="lab-notice" data-before>${beforeOf(task, state.values)}</p>
          ${'from' in task ? html`<p class="contest-source">${task.from}</p>` : nothing}
          ${unknownView(state.unknown, state.values.tokens, 'letters', actions.set)}</div>
        ${noticeView(state)}
        <section class=${kind} aria-labelledby="contest-variants">${variantsView(state, actions)}
        </section>
        <section class=${kind} aria-labelledby="looks-title">${looksView(state.looks, actions.looks)}</section>
        <section class=${kind} aria-labelledby="tensor-title">${tensorView(state.tensor, actions.tensor)}</section>
        <section class=${kind} aria-labelledby="contest-repeat">${repeatView(state.repeat, actions.repeat)}</section>
      </div>
    </div>`;
}

/** What is set beside the settings of a task. @type {Record<string, string>} */
const OTHERS = { task: 'Task', file: 'File', labels: 'Labels', variants: 'Layers', changes: 'Changes of the rate' };

/** What is wrong, by its names on the page. @param {State} state */
function refusedView({ errors, settings, ran }) {
  const labelOf = (/** @type {string} */ field) =>
    settings.find(({ name }) => name === field)?.label ?? OTHERS[field] ?? field;
  const shown = ran ? 'These runs are of the settings before' : 'These layers are of the last valid values';
  return html`<p class="stale-note" role="status" data-refused>Wrong: <b>${Object.keys(errors).map(labelOf).join(', ')}</b>. Play and One step wait until it is right. ${shown}.</p>`;
}

/** What Play will do, where that is not plain. @param {State} state */
function noticeView(state) {
  const { stale, refused, fresh, resumed, done, playing } = state;
  if (refused) return refusedView(state);
  if (stale)
    return html`<p class="stale-note" data-stale>The settings have changed since this run. Play and One step begin a new one.</p>`;
  if (fresh > 0) {
    const runs = formatThings(fresh, 'new run');
    return html`<p class="run-note" data-fresh>${playing ? `The next Play makes ${runs}` : `Play makes ${runs}`}; the others stay.</p>`;
  }
  if (resumed)
    return html`<p class="run-note" role="status" data-resumed>These runs were kept in this browser.${done ? '' : ' Play goes on with them.'} Reset begins anew.</p>`;
  return nothing;
}
