// The first screen as one template: the build renders it trained, the element keeps it live.

import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { formatCount } from '../../../plain/format.js';
import { DAYS, PRICE, VOLUME, placeOf, plan } from '../../../plain/attention-or-dense/minute-layers.js';
import { dayText, signed } from '../../../plain/attention-or-dense/minute-words.js';
import { segments } from '../../form/form.js';
import { dayAxis, priceChart, shareChart, volumeChart } from './charts.js';
import { controlsView } from './controls.js';

/**
 * @typedef {import('../../../plain/attention-or-dense/minute-screen.js').Screen} Screen
 * @typedef {import('../../../plain/attention-or-dense/minute-screen.js').Side} Side
 * @typedef {object} Actions
 * @property {(day: number) => void} choose
 * @property {(feature: number, value: number) => void} nudge of the chosen day
 * @property {(nudge: import('../../../plain/attention-or-dense/minute-screen.js').Nudge) => void} tryOut of the
 *   example as it was drawn
 * @property {() => void} restore
 * @property {() => void} next
 * @property {(trained: boolean) => void} train
 */

/** Nudges that differ by less are the same one, rounded to float32. */
const SAME = 1e-5;

/** @param {Screen} screen @param {Actions} actions */
export function minuteView(screen, actions) {
  const { features, level, day, peak, sides } = screen;
  const marks = { day, peak };
  return html`
    <section class="panel minute" aria-labelledby="minute-title" data-trained=${String(screen.trained)}>
      ${headView(screen, actions)}
      <div class="minute-days">
        ${questionView(screen, actions)}
        <div class="minute-plots">
          ${volumeChart(features, level, marks, actions.choose)}
          ${priceChart(features, marks, actions.choose)}
          ${dayAxis(marks)}
          ${dayInput(screen, actions)}
        </div>
        ${answersView(screen)}
        ${controlsView(screen, actions)}
      </div>
      ${sides.map((side) => sideView(side, screen, actions))}
    </section>`;
}

/** @param {Screen} screen @param {Actions} actions */
const headView = (screen, { train, next }) => html`
  <div class="minute-head">
    <h2 class="panel-title" id="minute-title">The same ${DAYS} days through three layers</h2>
    <p class="note minute-progress" data-step=${screen.step}>${progressText(screen)}</p>
    <fieldset class="inline"><legend class="hidden">The layers</legend>${segments(
      'minute-trained',
      [
        { value: 'false', text: 'Before training' },
        { value: 'true', text: 'Trained' }
      ],
      String(screen.trained),
      (value) => train(value === 'true')
    )}</fieldset>
    <button class="button small" type="button" data-action="next" @click=${next}>Next example</button>
  </div>`;

/** @param {Screen} screen */
function progressText({ step }) {
  const { steps, samples } = plan;
  if (step < steps)
    return html`<progress max=${steps} value=${step} aria-label="Training"></progress> Training here: step ${formatCount(step)} of ${formatCount(steps)}`;
  return `Trained here: ${formatCount(steps)} steps on ${formatCount(samples)} examples`;
}

/** What is asked, and what is right by the numbers as they are. @param {Screen} screen @param {Actions} actions */
function questionView({ features, peak, index, count, tries, nudge }, { tryOut }) {
  const price = features[placeOf(peak, PRICE)];
  const same = (/** @type {typeof tries[0]} */ one) =>
    Boolean(nudge && nudge.day === one.day && nudge.feature === one.feature && Math.abs(nudge.by - one.by) < SAME);
  return html`<div class="minute-about">
    <h3>Was the price above 0 on the day of the highest volume?</h3>
    <p class="minute-truth">Example ${index + 1} of ${count}: <b>${price > 0 ? 'yes' : 'no'}</b>, ${signed(price)} on ${dayText(peak)}.</p>
    <p class="minute-tries"><span>Raise by 1:</span> ${tries.map(
      (one, at) => html`<button class="chip" type="button" aria-pressed=${same(one) ? 'true' : 'false'} data-try=${at}
        @click=${() => tryOut(one)}>${one.feature === VOLUME ? 'volume' : 'price'}, ${dayText(one.day)}${one.day === peak && at === 0 ? ', the peak' : ''}</button>`
    )}</p>
    <p class="note minute-logit">A layer says yes where its logit, that of yes less that of no, is above 0.</p>
  </div>`;
}

/**
 * On a narrow screen, where the layers stand far below the numbers that are nudged: what each says, in one view with
 * these. Each layer's own panel says the same to a screen reader.
 * @param {Screen} screen
 */
const answersView = (screen) => html`
  <dl class="minute-answers" aria-hidden="true">${screen.sides.map((side) => {
    const { says, verdict } = judged(side, screen);
    return html`<div><dt>${nameOf(side)}</dt><dd class=${verdict}><b>${says}</b> ${signed(side.now.answer)}</dd>
      <dd class="minute-before">${screen.nudge ? `before ${signed(side.before.answer)}` : ''}</dd></div>`;
  })}</dl>`;

/** @param {Side} side */
const nameOf = ({ variant: { kind, title } }) => (kind === 'attention' ? 'Attention' : title);

/** A layer's answer, and whether it is right by the numbers as they are. @param {Side} side @param {Screen} screen */
function judged({ now: { answer } }, { features, peak }) {
  const right = answer > 0 === features[placeOf(peak, PRICE)] > 0;
  return { says: answer > 0 ? 'yes' : 'no', verdict: right ? 'right' : 'wrong' };
}

/**
 * Click, arrow keys and touch choose a day: a slider over both charts. @param {Screen} screen
 * @param {Actions} actions
 */
const dayInput = ({ day, features }, { choose }) => html`
  <input class="minute-day" type="range" min="1" max=${DAYS} step="1" aria-label="Day" .value=${live(String(day + 1))}
    aria-valuetext=${`${dayText(day)}: volume ${signed(features[placeOf(day, VOLUME)])}, price ${signed(features[placeOf(day, PRICE)])}`}
    @input=${(/** @type {any} */ event) => choose(Number(event.target.value) - 1)}>`;

const THIN = '\u202f';

/** @param {number} share */
const percent = (share) => (100 * share).toFixed(1);

/** @param {Side} side @param {Screen} screen @param {Actions} actions */
function sideView(side, screen, actions) {
  const { variant, parameters, score, chance, now, before, sentence } = side;
  const { day, peak, nudge, step } = screen;
  const isAttention = variant.kind === 'attention';
  const { says, verdict } = judged(side, screen);
  return html`
    <article class=${`minute-side ${variant.kind}`} data-variant=${variant.name} aria-labelledby=${`minute-${variant.name}`}>
      <div class="minute-facts">
        <h3 id=${`minute-${variant.name}`}>${nameOf(side)}</h3>
        <p class="note">${isAttention ? `${variant.title}, ` : ''}${formatCount(parameters)} learned numbers</p>
        <dl>
          <div><dt>Held out, right</dt><dd data-figure="score">${percent(score)}<span class="unit">%</span> <small>guessing: ${percent(chance)}${THIN}%</small></dd></div>
          <div><dt>Says</dt><dd class=${verdict} data-figure="answer">${says} <small>logit ${signed(now.answer)}, ${verdict}</small></dd></div>
        </dl>
      </div>
      <div class="minute-look">
        ${shareChart({ shares: now.shares, before: nudge ? before.shares : null, day, peak }, isAttention ? 'attention weight' : 'gradient × input', variant.title, actions.choose)}
        <p class="minute-sentence" role=${step < plan.steps ? nothing : 'status'}>${sentence}</p>
      </div>
    </article>`;
}
