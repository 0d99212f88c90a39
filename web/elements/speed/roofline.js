// The roofline as a chart, by Observable Plot.

import { axisX, axisY, dot, gridX, gridY, line, pointer, text, tip } from '@observablehq/plot';
import { drawn, shownTip } from '../charts/figure.js';
import { formatSeconds, formatSignificant } from '../../plain/format.js';
import { ridgeOf } from '../../plain/measured.js';
import { symbolOf, toneOf } from './symbols.js';

/**
 * @typedef {import('../../plain/measured.js').Row} Row
 * @typedef {import('../../plain/timing.js').Peaks} Peaks
 * @typedef {{ series: import('../../plain/measured.js').Series, x: number, y: number, title: string }} Point `y`:
 *   GFLOP/s
 */

const GIGA = 1e9;
const MARGIN = { left: 44, right: 10, top: 26, bottom: 40 };
const LEFT = 0.5; // FLOP/byte: the axis, somewhat wider than the workloads
const RIGHT = 2048;
const BELOW = 4; // how far under the roof there is room from the start, so that the axis stays as points come in
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];

/**
 * @param {Row[]} rows those that are measured become points
 * @param {Peaks} peaks of the same number of threads
 * @param {Peaks[]} others of other numbers of threads, drawn as faint roofs
 * @param {number} width
 */
export function drawRoofline(rows, peaks, others, width) {
  const height = width < 600 ? 340 : 430;
  const points = rows.flatMap(pointsOf);
  const roofs = [peaks, ...others].map(roofOf);
  const heights = roofs.flat().map(({ y }) => y);
  const low = Math.min(Math.min(...heights) / BELOW, ...points.map(({ y }) => y / 1.4));
  const high = Math.max(...heights, ...points.map(({ y }) => y)) * 1.35;
  const ticks = STEPS.filter((step) => step >= low && step <= high);
  const slope = slopeOf(width, height, high / low);
  return drawn({
    width,
    height,
    marginLeft: MARGIN.left,
    marginRight: MARGIN.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    x: { type: 'log', base: 2, domain: [LEFT, RIGHT] },
    y: { type: 'log', domain: [low, high] },
    marks: [
      gridX({ ticks: width < 600 ? 4 : 6 }),
      gridY({ ticks }),
      axisX({
        ticks: width < 600 ? 4 : 6,
        tickSize: 0,
        label: 'FLOP/byte',
        labelArrow: 'none',
        labelAnchor: 'right',
        text: String
      }),
      axisY({ ticks, tickSize: 0, label: 'GFLOP/s', labelArrow: 'none', text: String }),
      ...roofs.slice(1).map((roof) => line(roof, { x: 'x', y: 'y', stroke: 'var(--mark)', strokeDasharray: '3,4' })),
      line(roofs[0], { x: 'x', y: 'y', stroke: 'var(--accent)', strokeWidth: 2 }),
      text([flatLabel(peaks)], {
        x: 'x',
        y: 'y',
        text: 'text',
        textAnchor: 'end',
        dy: -10,
        fill: 'var(--accent-text)',
        fontWeight: 500
      }),
      text([slopedLabel(peaks)], {
        x: 'x',
        y: 'y',
        text: 'text',
        rotate: -slope,
        ...beside(slope),
        fill: 'var(--accent-text)',
        fontWeight: 500
      }),
      line(points, {
        x: 'x',
        y: 'y',
        z: 'series',
        stroke: (/** @type {Point} */ { series }) => toneOf(series),
        strokeOpacity: 0.45
      }),
      ...points.map((point) =>
        dot([point], {
          x: 'x',
          y: 'y',
          r: 5.5,
          symbol: symbolOf(point.series),
          fill: toneOf(point.series),
          stroke: 'var(--panel)',
          strokeWidth: 1
        })
      ),
      tip(points, pointer({ x: 'x', y: 'y', title: 'title', ...shownTip }))
    ]
  });
}

/** @param {Row} row @returns {Point[]} */
function pointsOf({ series, title, intensity, measured }) {
  if (!measured) return [];
  const y = measured.rate / GIGA;
  return [
    {
      series,
      x: intensity,
      y,
      title: `${title}\n${formatSignificant(y)} GFLOP/s in ${formatSeconds(measured.seconds)}\n${Math.round(100 * measured.share)} % of the roof`
    }
  ];
}

/** @param {Peaks} peaks */
function roofOf(peaks) {
  const flat = peaks.flops_per_second / GIGA;
  return [
    { x: LEFT, y: (LEFT * peaks.bytes_per_second) / GIGA },
    { x: ridgeOf(peaks), y: flat },
    { x: RIGHT, y: flat }
  ];
}

/** @param {Peaks} peaks */
const flatLabel = ({ flops_per_second: flops }) => ({
  x: RIGHT,
  y: flops / GIGA,
  text: `${formatSignificant(flops / GIGA)} GFLOP/s`
});

/** In the middle of the slope. @param {Peaks} peaks */
function slopedLabel(peaks) {
  const x = Math.sqrt(LEFT * ridgeOf(peaks));
  return {
    x,
    y: (x * peaks.bytes_per_second) / GIGA,
    text: `${formatSignificant(peaks.bytes_per_second / GIGA)} GB/s`
  };
}

const LABEL_DISTANCE = 11;

/** From a rising line to the label above it. @param {number} degrees */
const beside = (degrees) => ({
  dx: -LABEL_DISTANCE * Math.sin((degrees * Math.PI) / 180),
  dy: -LABEL_DISTANCE * Math.cos((degrees * Math.PI) / 180)
});

/**
 * Degrees at which a line that is proportional to x rises.
 * @param {number} width
 * @param {number} height
 * @param {number} range the highest value over the lowest
 */
function slopeOf(width, height, range) {
  const across = (width - MARGIN.left - MARGIN.right) / Math.log(RIGHT / LEFT);
  const up = (height - MARGIN.top - MARGIN.bottom) / Math.log(range);
  return (Math.atan2(up, across) * 180) / Math.PI;
}
