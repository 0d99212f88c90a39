// The score or the loss of every variant by step: the mean over seeds as a line, their spread as a band, by Observable
// Plot.

import { areaY, axisX, axisY, gridY, line, pointerX, ruleX, text, tip } from '@observablehq/plot';
import { drawn, shownTip } from '../../charts/figure.js';
import { formatCount, formatSignificant } from '../../../plain/format.js';
import { spread } from '../../../plain/spread.js';
import { letterOf, lineOf } from './lines.js';

/**
 * @typedef {import('../../../plain/attention-or-dense/bands.js').Spot} Spot
 * @typedef {{ title: string, spots: Spot[] }} Curve
 * @typedef {{ width: number, steps: number, percent: boolean, chance: number | null, changes: readonly { step:
 *   number }[] }} How
 *   `percent`: whether values are shares; `chance`: what is reached without looking; `changes`: where the rate changed
 */

const HEIGHT = 230;
const MARGIN = { top: 10, right: 26, bottom: 24 };
const LETTER = 13;
/** Pixels of a drawing in which titles of layers do not fit into a tip: letters name them. */
const NARROW = 560;

/** @param {readonly Curve[]} curves @param {How} how */
export function drawCurves(curves, { width, steps, percent, chance, changes }) {
  const write = (/** @type {number} */ value) => (percent ? `${Math.round(100 * value)} %` : formatSignificant(value));
  const all = curves.flatMap(({ spots }) => spots);
  const known = all.flatMap(({ low, high }) => (percent ? [Math.max(0, low), Math.min(1, high)] : [low, high]));
  const [low, high] = percent
    ? [Math.min(chance ?? 1, ...known), 1]
    : [Math.min(0, ...known), Math.max(1e-9, ...known)];
  const marginLeft = percent ? 44 : 48;
  const height = HEIGHT - MARGIN.top - MARGIN.bottom;
  const ends = curves.flatMap(({ spots }, at) => (spots.length ? [{ at, spot: spots[spots.length - 1] }] : []));
  const wanted = ends.map(({ spot }) => (height * (high - spot.mean)) / (high - low || 1));
  const places = spread(wanted, { gap: LETTER, low: 0, high: height });
  return drawn({
    width,
    height: HEIGHT,
    ...{ marginLeft, marginTop: MARGIN.top, marginRight: MARGIN.right, marginBottom: MARGIN.bottom },
    x: { domain: [0, steps], label: null },
    y: { domain: [low, high], label: null, clamp: true },
    marks: [
      gridY({ ticks: 4 }),
      axisX({ ticks: Math.max(2, Math.floor(width / 110)), tickSize: 0, text: formatCount }),
      axisY({ ticks: 4, tickSize: 0, text: write }),
      ...(chance === null
        ? []
        : [line([0, steps], { x: (/** @type {number} */ x) => x, y: () => chance, stroke: 'var(--mark)' })]),
      ...changes.map(({ step }) => ruleX([step], { stroke: 'var(--strong-line)', strokeDasharray: '2,3' })),
      ...curves.map(({ spots }, at) =>
        areaY(spots, { x: 'step', y1: 'low', y2: 'high', fill: lineOf(at).stroke, fillOpacity: 0.14 })
      ),
      ...curves.map(({ spots }, at) => line(spots, { x: 'step', y: 'mean', ...lineOf(at) })),
      ...ends.map(({ at, spot }, place) =>
        text([spot], {
          ...{ x: 'step', y: 'mean', text: () => letterOf(at), textAnchor: 'start', dx: 6, fontWeight: 600 },
          ...{ dy: places[place] - wanted[place], fill: lineOf(at).stroke }
        })
      ),
      tipOf(curves, write, width < NARROW)
    ]
  });
}

/** @param {readonly Curve[]} curves @param {(value: number) => string} write @param {boolean} isNarrow */
function tipOf(curves, write, isNarrow) {
  const longest = curves.reduce((one, other) => (other.spots.length > one.spots.length ? other : one), curves[0]);
  const title = (/** @type {Spot} */ { step }) =>
    [
      `Step ${formatCount(step)}`,
      ...curves.flatMap(({ title: name, spots }, at) => {
        const spot = spots.find((one) => one.step === step);
        return spot ? [`${letterOf(at)}${isNarrow ? '' : ` ${name}`}: ${write(spot.mean)}`] : [];
      })
    ].join('\n');
  return tip(longest?.spots ?? [], pointerX({ x: 'step', y: 'mean', title, ...shownTip }));
}
