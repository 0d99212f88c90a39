// The line above a map: its axes, a box for each dimension that has no pictures beside it, what a touch does.

import { html, nothing } from 'lit';
import { segments } from '../form/form.js';
import { MAX_MULTIPLES } from './planes.js';

/**
 * @param {import('./heat-map.js').HeatMap} map
 * @param {{ show: (index: number, value: number) => void }} actions
 */
export function axisLine(map, { show }) {
  const { grid, drawn, lead } = map;
  if (!grid || !drawn) return nothing;
  const [down, across] = [drawn.axes.at(-2), drawn.axes.at(-1)];
  const leading = drawn.tensor.shape.slice(0, -2);
  return html`<div class="heat-axis">${down ? html`<span>${down} ↓ ${grid.rows}</span>` : nothing}<span>${across} → ${grid.columns}</span>
    ${leading.map((length, index) =>
      length === 1 || (index === lead.length - 1 && length <= MAX_MULTIPLES)
        ? nothing
        : leadBox(drawn.axes[index], length, lead[index] ?? 0, (value) => show(index, value))
    )}${modeSwitch(map)}</div>`;
}

/**
 * Chooses among the planes of one dimension, where they do not all stand beside.
 * @param {string} axis @param {number} length @param {number} at @param {(value: number) => void} show
 */
function leadBox(axis, length, at, show) {
  const type = (/** @type {any} */ event) => {
    const value = Math.max(0, Math.min(length - 1, Math.round(Number(event.target.value) || 0)));
    event.target.value = String(value);
    show(value);
  };
  return html`<label>${axis}
    <input class="number small" type="number" min="0" max=${length - 1} .value=${String(at)}
      @change=${type}> of ${length}</label>`;
}

/** Where a mask can be painted by touch. @param {import('./heat-map.js').HeatMap} map */
function modeSwitch(map) {
  if (!map.touch || !map.drawn?.mask) return nothing;
  const choices = [
    { value: 'inspect', text: 'Inspect' },
    { value: 'paint', text: 'Paint' }
  ];
  return html`<fieldset class="inline heat-touch" ?disabled=${map.fixed}><legend class="hidden">What a touch
    does</legend>${segments('touch', choices, map.mode, (mode) => {
      map.mode = /** @type {import('./heat-map.js').Mode} */ (mode);
    })}</fieldset>`;
}
