// Loss or accuracy by step, of training and of held-out data, by Observable Plot.

import { axisX, axisY, gridY, line, pointerX, ruleX, tip } from '@observablehq/plot';
import { drawn, shownTip } from '../charts/figure.js';
import { formatCount, formatPercent, formatSignificant } from '../../plain/format.js';

/**
 * @typedef {import('../../plain/train/history.js').Point} Point
 * @typedef {'loss' | 'accuracy'} Kind
 * @typedef {{ last: number, top: number, chance: number }} Axes `last`: the step at the right end; `top`: the loss at
 *   the upper end, if none is higher; `chance`: the accuracy of guessing
 */

/** Of a curve, and of one on a phone. */
const [HEIGHT, LOW] = [112, 76];
const NARROW = 240;
const TICK_WIDTH = 60;

/**
 * Without points, the axes alone.
 * @param {Kind} kind
 * @param {Point[]} points
 * @param {{ width: number, chosen: number | null, axes: Axes }} options `chosen`: the step that is looked at
 */
export function drawCurves(kind, points, { width, chosen, axes: { last, top, chance } }) {
  const isShare = kind === 'accuracy';
  const held = /** @type {const} */ (`held_${kind}`);
  const isLow = width < NARROW;
  const ticks = isShare ? [0, 0.5, 1] : isLow ? 2 : 3;
  const text = isShare ? formatPercent : formatSignificant;
  return drawn({
    width,
    height: isLow ? LOW : HEIGHT,
    marginLeft: isLow ? 34 : 40,
    marginRight: 12,
    marginTop: 8,
    marginBottom: 22,
    x: { domain: [0, last], label: null },
    y: {
      domain: isShare ? [0, 1] : [0, Math.max(top, ...points.flatMap((point) => [point.loss, point.held_loss]))],
      label: null
    },
    marks: [
      gridY({ ticks }),
      axisX({ ticks: wholeTicks(last, width), tickSize: 0, text: formatCount }),
      axisY({ ticks, tickSize: 0, text }),
      ...(isShare
        ? [line([0, last], { x: (/** @type {number} */ x) => x, y: () => chance, stroke: 'var(--mark)' })]
        : []),
      line(points, { x: 'step', y: kind, stroke: 'var(--tone-d)', strokeWidth: 1.5, strokeDasharray: '4,3' }),
      line(points, { x: 'step', y: held, stroke: 'var(--accent)', strokeWidth: 2 }),
      ...(chosen === null ? [] : [ruleX([chosen], { stroke: 'var(--accent)', strokeDasharray: '2,3' })]),
      tip(
        points,
        pointerX({
          x: 'step',
          y: held,
          title: (/** @type {Point} */ point) =>
            `Step ${formatCount(point.step)}\nheld-out ${text(point[held])}\ntraining ${text(point[kind])}`,
          ...shownTip
        })
      )
    ]
  });
}

/** Round steps, no more than there is room for. @param {number} last @param {number} width */
function wholeTicks(last, width) {
  const most = Math.max(2, Math.floor(width / TICK_WIDTH));
  const least = last / most;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const apart = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? 1);
  return Array.from({ length: Math.floor(last / apart) + 1 }, (_, index) => index * apart);
}
