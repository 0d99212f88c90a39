// The variants as a table, with their sizes and scores, and their curves.

import { html, nothing } from 'lit';
import { formatCount, formatShort, formatThings } from '../../../plain/format.js';
import { scoresOf } from '../../../plain/attention-or-dense/bands.js';
import { scoreText } from '../../../plain/attention-or-dense/verdict.js';
import { variants as known } from '../../../plain/attention-or-dense/variants.js';
import { follows } from '../../form/follows.js';
import { segments } from '../../form/form.js';
import { comparisonView } from './comparison-view.js';
import { lineKey } from './lines.js';

/** @typedef {import('./view.js').State} State @typedef {import('./view.js').Actions} Actions */

const CURVES = /** @type {const} */ ([
  { value: 'score', text: 'Score' },
  { value: 'held_loss', text: 'Held-out loss' },
  { value: 'loss', text: 'Training loss' }
]);

/** A number and its unit stay on one line. @param {string} text */
const unbroken = (text) => text.replaceAll(' ', '\u00a0');

/** @param {State} state @param {Actions} actions */
export function variantsView(state, actions) {
  const { variants, plan, values, comparison } = state;
  return html`
    <div class="panel-head"><h2 class="panel-title" id="contest-variants">Scores on held-out examples</h2>
      <p class="note contest-progress" data-step=${state.step}>${progressText(state, plan?.steps ?? values.steps)}</p></div>
    ${variants.length ? tableView(state, actions) : nothing}
    ${comparisonView(comparison)}
    <div class="contest-curves">${hasCurves(state) ? curvesView(state, actions) : html`<p class="note">The curves appear with Play.</p>`}</div>`;
}

/** @param {State} state @param {Actions} actions */
function tableView({ variants, score, opponents }, { swap }) {
  const kind = score?.kind ?? 'accuracy';
  const solved = score?.solved ?? null;
  return html`
    <div class="scroller" tabindex="0" role="group" aria-label="Variants">
    <table class="table contest-table"><thead><tr><th scope="col">Layer</th><th scope="col" class="num wide-only">Parameters</th><th scope="col" class="num wide-only">MACs</th>
      <th scope="col" class="num">${kind === 'accuracy' ? 'Right' : 'Error'}</th>${solved === null ? nothing : html`<th scope="col" class="num wide-only">Above ${unbroken(`${100 * solved} %`)}</th>`}</tr></thead>
      <tbody>${variants.map((variant, at) => rowView(variant, at, { kind, solved }, tanhView(variant, variants, swap)))}${opponents.map(opponentView)}</tbody></table></div>`;
}

/** Whether there is something to draw, or will be in a moment. @param {State} state */
const hasCurves = ({ playing, variants }) =>
  playing || variants.some(({ seeds }) => seeds.some(({ points }) => points.length > 0));

/** @param {State} state @param {Actions} actions */
function curvesView({ curve, curves, score }, { draw }) {
  const what = CURVES.find(({ value }) => value === curve)?.text;
  const isShare = curve === 'score' && score?.kind !== 'error';
  return html`
      <fieldset class="inline"><legend class="hidden">Curves</legend>${segments('curve', [...CURVES], curve, (kind) => draw(/** @type {any} */ (kind)))}</fieldset>
      <div class="plot" role="img" aria-label=${`${what} by step, a line for each layer and its spread over seeds as a band; scores are in the table above`}>${curves ?? nothing}</div>
      <p class="note">A line is the mean over seeds, its band a standard deviation each way${isShare ? '; the thin line is guessing' : ''}.</p>`;
}

/** @param {State} state @param {number} steps */
function progressText({ variants, step, playing, plan, values }, steps) {
  const seeds = plan?.seeds ?? values.seeds;
  const finished = variants.reduce((count, { seeds: runs }) => count + scoresOf(runs).length, 0);
  const all = `${formatThings(seeds, 'seed')} of ${formatThings(steps, 'step')} each`;
  if (step === 0 && !playing) return `${all}: nothing has run yet`;
  return `${formatCount(finished)} of ${formatCount(seeds * variants.length)} runs are done, ${all}`;
}

/**
 * What is done to the score of a time step, where that is a choice.
 * @param {State['variants'][0]} variant @param {State['variants']} all @param {Actions['swap']} swap
 */
function tanhView({ name, title, tanh }, all, swap) {
  if (!tanh) return nothing;
  const choices = known.filter((one) => one.tanh?.of === tanh.of);
  const isTaken = (/** @type {string} */ other) => other !== name && all.some((one) => one.name === other);
  return html`<select class="contest-tanh" aria-label=${`The tanh of ${title}`} @change=${(/** @type {any} */ event) => swap(name, event.target.value)}>${choices.map(
    (one) =>
      html`<option value=${one.name} ?disabled=${isTaken(one.name)} ?selected=${one.name === name} ${follows('selected', one.name === name)}>${tanhText(one)}</option>`
  )}</select>`;
}

/** @param {typeof known[0]} variant */
const tanhText = ({ tanh }) => (tanh?.is === 'none' ? 'no tanh' : tanh?.is.replace('_', ' '));

/** @typedef {{ kind: 'accuracy' | 'error', solved: number | null }} Judged */

/** @param {State['variants'][0]} variant @param {number} at @param {Judged} judged @param {unknown} tanh */
function rowView({ name, title, about, parameters, macs, note, seeds }, at, { kind, solved }, tanh) {
  const scores = scoresOf(seeds);
  const failure = seeds.find((run) => run.failure)?.failure;
  const others = seeds.filter((run) => run.score !== null).map((run) => run.others);
  const solvedOf =
    solved !== null && scores.length ? `${scores.filter((score) => score > solved).length} of ${scores.length}` : '';
  const sizes = [`${formatCount(parameters)} parameters`, `${formatShort(macs)} MACs`].map(unbroken).join(', ');
  return html`<tr data-variant=${name}>
    <th scope="row">${lineKey(at)} ${title} ${tanh}<small>${about}<span class="narrow-only">${sizes}${solvedOf && solved ? `, ${unbroken(`above ${100 * solved} %`)} ${unbroken(`in ${solvedOf}`)}` : ''}</span>${note ? html` <em>${note}</em>` : nothing}${othersView(others, kind)}</small>${failure ? html`<small class="field-error">${failure}</small>` : nothing}</th>
    <td class="num wide-only">${formatCount(parameters)}</td><td class="num wide-only">${formatShort(macs)}</td>
    <td class="num" data-score>${scores.length ? scoreText(scores, kind) : latestText(seeds, kind)}</td>
    ${solved === null ? nothing : html`<td class="num wide-only">${solvedOf || '–'}</td>`}
  </tr>`;
}

/**
 * Scores on examples of another kind, as at other lengths, and each reason why there is none once.
 * @param {readonly import('../contest.js').SeedRun['others'][]} runs @param {Judged['kind']} kind
 */
function othersView(runs, kind) {
  const [first] = runs;
  if (!first?.length) return nothing;
  const scores = first.map((_, at) => runs.flatMap((others) => others[at]?.score ?? []));
  const tried = first.flatMap(({ title }, at) =>
    scores[at].length ? [`${title}: ${unbroken(scoreText(scores[at], kind))}`] : []
  );
  const reasons = first.flatMap(({ reason }, at) => (scores[at].length ? [] : [reason]));
  return html`<span class="contest-others">${[...tried, ...new Set(reasons)].join('; ')}</span>`;
}

/** Of runs that are not done, in brackets. @param {State['variants'][0]['seeds']} seeds @param {Judged['kind']} kind */
function latestText(seeds, kind) {
  const last = seeds[0]?.points.at(-1)?.score;
  return last === undefined ? '–' : html`<span class="contest-open">(${scoreText([last], kind)})</span>`;
}

/** A rule that is no layer. @param {import('../../../plain/attention-or-dense/source.js').Opponent} opponent */
const opponentView = ({ name, title, about, parameters, score }) => html`<tr class="opponent" data-opponent=${name}>
  <th scope="row">${title}<small>${about}<span class="narrow-only">${formatCount(parameters)} parameters</span></small></th><td class="num wide-only">${formatCount(parameters)}</td><td class="num wide-only">–</td>
  <td class="num">${scoreText([score], 'error')}</td></tr>`;
