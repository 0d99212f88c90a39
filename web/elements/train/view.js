// The training page's element as one template: the build renders it before anything has run, the element keeps it live.

import { html, nothing } from 'lit';
import { askView } from './ask-view.js';
import { attentionView } from './attention.js';
import { controlView } from './control.js';
import { gradientsView } from './gradients.js';
import { repeatView } from './repeat-view.js';
import { resultView } from './result.js';
import { stripView } from './strip.js';

/**
 * @typedef {import('../../plain/train/settings.js').Checked} Checked
 * @typedef {import('../../plain/fields.js').Values} Values
 * @typedef {import('../../plain/fields.js').Layer} Layer
 * @typedef {import('./shown.js').Shown} Shown
 * @typedef {import('./curves.js').Kind} Kind
 *
 * @typedef {object} State
 * @property {boolean} isLive whether there is a script
 * @property {readonly string[]} repeated what the address says more than once
 * @property {readonly string[]} linked names in the address that its task has no setting for
 * @property {readonly Layer[]} layers
 * @property {Values} values
 * @property {Checked} checked
 * @property {number} limit bytes that there are
 * @property {import('../table-file/file-view.js').FileState} file
 * @property {import('./kept-view.js').KeptState} kept
 * @property {boolean} playing
 * @property {number} step
 * @property {number} rate steps a second
 * @property {number} gradientNorm
 * @property {string} failure
 * @property {string} said
 * @property {boolean} settings whether they are open
 * @property {boolean} tabled whether the table of the curves is open
 * @property {Shown | null} shown
 * @property {Record<Kind, Element | null> | null} curves
 * @property {unknown} map the heat map
 * @property {unknown} ask the element that asks the layer, null before it is there
 * @property {unknown} repeat the element that has the link and the script, null before it is there
 *
 * @typedef {object} Actions
 * @property {(patch: Record<string, unknown>) => void} set
 * @property {() => void} play
 * @property {() => void} pause
 * @property {() => void} step
 * @property {() => void} reset
 * @property {(patch: Record<string, unknown>) => void} tryWith sets and plays
 * @property {(index: number) => void} look
 * @property {(open: boolean) => void} table
 * @property {() => void} saveWeights
 * @property {() => void} saveRun
 * @property {(file: File) => void} open
 * @property {(name: string) => void} openExample
 * @property {() => void} saveExample
 * @property {(event: DragEvent) => void} drag
 * @property {import('./kept-view.js').KeptActions} kept
 */

/** @param {State} state @param {Actions} actions */
export function trainView(state, actions) {
  return html`
    <div class="train">
      <div class="train-side">
        <section class="panel train-control" aria-labelledby="control-title">${controlView(state, actions)}</section>
      </div>
      <div class="train-results">
        ${state.shown?.stale ? html`<p class="stale-note train-stale" data-stale>The settings have changed since this run. Play and One step begin a new one.</p>` : nothing}
        ${stripView(state)}
        <section class=${`${panelClass(state)} train-attention`} aria-labelledby="attention-title">${attentionView(state, actions)}</section>
        <section class=${panelClass(state)} aria-labelledby="ask-title">${state.ask ?? askView(null)}</section>
        <section class=${panelClass(state)} aria-labelledby="gradients-title">${gradientsView(state.shown)}</section>
        <section class=${panelClass(state)} aria-labelledby="learned-title">${resultView(state, actions)}</section>
        <section class=${panelClass(state)} aria-labelledby="repeat-title">${state.repeat ?? repeatView(null)}</section>
      </div>
    </div>`;
}

/** @param {State} state */
const panelClass = ({ shown }) => (shown?.stale ? 'panel stale' : 'panel');
