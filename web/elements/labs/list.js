// The list of the labs as cards, and what leads from one to the next.

import { html, nothing } from 'lit';
import { initialValues } from '../../plain/labs/settings.js';
import { chapters, contest, placeOf, questions, training, tutorial } from '../../plain/labs/list.js';
import { loadLab } from './labs.js';
import { smallPicture } from './pictures.js';

/**
 * @typedef {import('../../plain/labs/list.js').Entry} Entry
 * @typedef {import('../../lib/index.js').Attnscope} Attnscope
 */

/** @param {Attnscope} scope @param {string} name */
async function pictureOf(scope, name) {
  const lab = await loadLab(name);
  return lab.small(lab.compute(scope, initialValues(lab.settings)));
}

/** @param {Attnscope} scope @param {readonly Entry[]} entries @param {(name: string) => string} hrefOf */
async function cards(scope, entries, hrefOf) {
  const pictures = await Promise.all(
    entries.map(({ name }) => pictureOf(scope, name === tutorial.name ? chapters[0].name : name))
  );
  return entries.map((entry, at) => card(entry, hrefOf(entry.name), pictures[at]));
}

/** @param {Omit<Entry, 'name' | 'lead'>} entry @param {string} href @param {import('./pictures.js').Small} picture */
const card = ({ question, about }, href, picture) => html`<li><a href=${href}>${smallPicture(picture)}
  <span class="card-text"><span class="card-question">${question}</span> <span class="card-about">${about}</span></span></a></li>`;

/** @param {Attnscope} scope */
export const labCards = async (scope) => html`<ul class="lab-cards">
  ${card(contest, `${contest.name}/`, weightsPicture())}${await cards(scope, [...questions, tutorial], (name) => `${name}/`)}${card(training, '../train/', inductionPicture())}</ul>`;

/** @param {Attnscope} scope */
export const chapterCards = async (scope) =>
  html`<ul class="lab-cards">${await cards(scope, chapters, (name) => `${name.replace('tutorial/', '')}/`)}</ul>`;

/** One bright cell a row, in another place each time: the day that an example's weights find. */
function weightsPicture() {
  const data = Array.from({ length: DAYS * DAYS }, (_, at) => (at % DAYS === PLACES[Math.floor(at / DAYS)] ? 1 : 0.08));
  return { data, rows: DAYS, columns: DAYS };
}

const PLACES = [5, 1, 7, 3, 0, 6, 2, 4];
const DAYS = PLACES.length;

const SIZE = 12;
/** After so many letters the string repeats itself. */
const PERIOD = 4;

/** What such a head looks like: from each letter to the one that followed it the last time. */
function inductionPicture() {
  const cell = (/** @type {number} */ query, /** @type {number} */ key) =>
    query < PERIOD ? Number(key <= query) / (query + 1) : Number(key === query - PERIOD + 1);
  const data = Array.from({ length: SIZE * SIZE }, (_, at) => cell(Math.floor(at / SIZE), at % SIZE));
  return { data, rows: SIZE, columns: SIZE };
}

/** From a lab to the list. @param {string} name */
const up = (name) => '../'.repeat(name.split('/').length);

/** From a lab to another. @param {string} name @param {string} to */
const wayTo = (name, to) => `${up(name)}${to}/`;

/** What stands above a lab. @param {string} name */
export function labHead(name) {
  const { entry, chapter } = placeOf(name);
  return html`
    <p class="lab-crumb"><a href=${up(name)}>Labs</a>${chapter >= 0 ? html` <span aria-hidden="true">/</span> <a href="../">The tutorial</a>` : nothing}</p>
    <div class="title" id="lab">
      <h1>${chapter >= 0 ? `${chapter + 1}. ${entry.question}` : entry.question}</h1>
      <p>${entry.lead}</p>
    </div>
    ${chapter >= 0 ? chapterTabs(chapter) : nothing}`;
}

/** @param {number} chapter */
const chapterTabs = (chapter) => html`
  <nav class="subnav chapter-tabs" aria-label="Chapters">${chapters.map(
    ({ question }, at) =>
      html`<a href=${`../${at + 1}/`} aria-label=${`${at + 1}. ${question}`} aria-current=${at === chapter ? 'page' : nothing}>${at + 1}</a>`
  )}</nav>`;

/** Those before and after. @param {string} name */
export function labWays(name) {
  const { before, after } = placeOf(name);
  return html`<nav class="lab-ways" aria-label="Other labs">
    ${before ? html`<a href=${wayTo(name, before.name)} rel="prev"><span>Before</span> ${before.question}</a>` : html`<span></span>`}
    ${after ? html`<a href=${wayTo(name, after.name)} rel="next"><span>Next</span> ${after.question}</a>` : html`<a href=${`${up(name)}../train/`} data-way="train"><span>Train</span> ${training.question}</a>`}
  </nav>`;
}
