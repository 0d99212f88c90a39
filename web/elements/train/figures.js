// The run in figures.

import { formatCount, formatSignificant, splitBytes } from '../../plain/format.js';
import { percent } from '../../plain/train/learned.js';
import { html } from 'lit';
import { figure, split } from '../shared/figure.js';

/** @param {import('./view.js').State} state */
export function figuresView({ step, rate, gradientNorm, shown, checked }) {
  const last = shown?.points.at(-1);
  const chance = (shown?.data ?? checked.data)?.chance;
  const { memory = checked.needs.bytes, parameters = checked.parameters } = shown ?? {};
  const { number, unit } = splitBytes(Number.isFinite(memory) ? memory : 0);
  return html`
    <div class=${shown?.stale ? 'figures train-figures stale' : 'figures train-figures'} role="group" aria-label="The run in figures">
      ${figure('Step', 'step', formatCount(step), rate ? `${formatSignificant(rate)} steps a second` : 'not yet under way')}
      ${figure('Held-out accuracy', 'accuracy', last ? percent(last.held_accuracy) : '–', `guessing: ${chance === undefined ? '–' : percent(chance)}${last ? `; training: ${percent(last.accuracy)}` : ''}`)}
      ${figure('Gradient norm', 'gradient', step ? formatSignificant(gradientNorm) : '–', 'of all gradients together, in the last step')}
      ${figure('Memory of a step', 'memory', number && parameters ? split({ number, unit }) : '–', parameters ? `at its peak; ${formatCount(parameters)} parameters` : 'at its peak')}
    </div>`;
}
