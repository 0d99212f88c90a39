// Questions of the lab's title, under its first screen: two scores each, a run, and the guide.

import { html } from 'lit';
import { questions, searchOfQuestion } from '../../../plain/attention-or-dense/questions.js';

const GUIDE = '../../guide/#';

/** @param {(search: string) => void} run begins the run of an address */
export const questionsView = (run) => html`
  <section class="lab-questions" aria-label="Questions">${questions.map((question) => questionView(question, run))}</section>`;

/** @param {typeof questions[0]} question @param {(search: string) => void} run */
function questionView(question, run) {
  const search = searchOfQuestion(question);
  const begin = (/** @type {MouseEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return; // another tab or window
    event.preventDefault();
    run(search);
  };
  return html`<article class="panel lab-question" data-question=${question.chapter}>
    <h3>${question.question}</h3>
    <p>${question.answer}</p>
    <dl>${question.sides.map(({ title, score, variant }) => html`<div data-side=${variant}><dt>${title}</dt><dd>${score}<span class="unit">%</span></dd></div>`)}</dl>
    <p>${question.more}</p>
    <p class="lab-question-ways"><a class="button small" href=${`${search}#run`} data-action="run-question" aria-label=${`Run it: ${question.question}`} @click=${begin}>Run it</a>
      <a href=${GUIDE + question.chapter} aria-label=${`${question.question} In the guide`}>In the guide</a></p>
  </article>`;
}
