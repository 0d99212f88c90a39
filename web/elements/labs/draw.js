// Lines of a lab, by Observable Plot.

import { areaY, axisX, axisY, dot, gridY, line, pointerX, ruleX, ruleY, text, tip } from '@observablehq/plot';
import { drawn, named, shownTip } from '../charts/figure.js';
import { textWidth } from '../charts/sizes.js';
import { spread } from '../../plain/spread.js';
import { logTicks } from '../../plain/ticks.js';

/** @typedef {import('./chart-table.js').Chart} Chart @typedef {import('./chart-table.js').Line} Line */

const HEIGHT = 260;
const MARGIN = { top: 26, bottom: 44 };
const ROWS = 5;
const TICK_GAP = 18;
const NAME_GAP = 8;
const NAME_HEIGHT = 16;

/** @param {Chart} chart @param {number} width */
export function drawLines(chart, width) {
  const { lines, across, up, now } = chart;
  const layout = layoutOf(chart, width);
  return drawn({
    width,
    height: HEIGHT,
    marginLeft: layout.left,
    marginRight: layout.right,
    marginTop: MARGIN.top,
    marginBottom: MARGIN.bottom,
    x: { type: across, domain: layout.places, label: null },
    y: { type: up, domain: layout.values, label: null },
    marks: [
      gridY({ ticks: layout.rows }),
      ...(up === 'linear' && layout.values[0] < 0 ? [ruleY([0], { stroke: 'var(--strong-line)' })] : []),
      axisX({ ticks: layout.columns, tickSize: 0, tickPadding: 10, text: shortNumber, label: null }),
      axisY({ ticks: layout.rows, tickSize: 0, text: chart.text, label: null }),
      ...(now === undefined ? [] : [ruleX([now], { stroke: 'var(--accent)', strokeDasharray: '2,3' })]),
      ...(chart.band
        ? [areaY(chart.band, { x: 'x', y1: 'low', y2: 'high', fill: 'var(--accent)', fillOpacity: 0.22 })]
        : []),
      ...[...lines].sort((a, b) => Number(a.own) - Number(b.own)).map(lineMark),
      ...lines.flatMap((one) => nowMark(one, now)),
      ...nameMarks(lines, layout),
      ...scaleMarks(chart, layout),
      tipMark(chart)
    ]
  });
}

const OWN = { stroke: 'var(--accent)', strokeWidth: 2.5 };
const OTHER = { stroke: 'var(--mark)', strokeWidth: 1.5 };

/** @param {Line} one */
const lineMark = ({ own, spots }) => line(spots, { x: 'x', y: 'y', ...(own ? OWN : OTHER) });

/** @param {Line} one @param {number | undefined} now */
const nowMark = ({ own, spots }, now) =>
  spots
    .filter(({ x }) => x === now)
    .map((spot) => dot([spot], { x: 'x', y: 'y', r: own ? 5 : 3.5, fill: own ? 'var(--accent)' : 'var(--mark)' }));

/** @param {Chart} chart @param {number} width */
function layoutOf({ lines, band = [], up, across, ends, text: write }, width) {
  const all = lines.flatMap(({ spots }) => spots);
  const range = (/** @type {number[]} */ values) =>
    /** @type {[number, number]} */ ([Math.min(...values), Math.max(...values)]);
  const places = range(all.map(({ x }) => x));
  const values = ends ?? range([...all.map(({ y }) => y), ...band.flatMap(({ low, high }) => [low, high])]);
  if (values[0] === values[1]) values[1] += 1;
  const rows = up === 'log' ? logTicks(values, ROWS, 10, write) : evenTicks(values, ROWS);
  const widest = (/** @type {string[]} */ texts) => Math.max(0, ...texts.map(textWidth));
  const left = Math.max(34, widest(rows.map(write)) + 12);
  const right = lines.length > 1 ? widest(lines.map(({ label }) => label)) + NAME_GAP + 4 : 16;
  const room = Math.max(2, Math.floor((width - left - right) / (widest(places.map(shortNumber)) + TICK_GAP)));
  const columns =
    across === 'log'
      ? logTicks(places, Math.min(8, room), 2)
      : evenTicks(places, Math.min(12, room)).filter(Number.isInteger);
  return { places, values, rows, columns, left, right };
}

/** Round values. @param {[number, number]} ends @param {number} most */
function evenTicks([low, high], most) {
  const least = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Number([1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= least * 0.999));
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(12))
  );
}

/** At the ends of the lines. @param {readonly Line[]} lines @param {ReturnType<typeof layoutOf>} layout */
function nameMarks(lines, { values: [low, high] }) {
  if (lines.length < 2) return [];
  const isLog = lines.every(({ spots }) => spots.every(({ y }) => y > 0)) && low > 0 && high / low > 50;
  const height = HEIGHT - MARGIN.top - MARGIN.bottom;
  const place = (/** @type {number} */ value) =>
    height * (isLog ? Math.log(high / value) / Math.log(high / low) : (high - value) / (high - low));
  const wanted = lines.map(({ spots }) => place(spots[spots.length - 1].y));
  const places = spread(wanted, { gap: NAME_HEIGHT, low: 0, high: height });
  return lines.map(({ label, own, spots }, at) =>
    text([spots[spots.length - 1]], {
      x: 'x',
      y: 'y',
      text: () => label,
      textAnchor: 'start',
      dx: NAME_GAP,
      dy: places[at] - wanted[at],
      fill: own ? 'var(--accent-text)' : 'var(--muted)',
      fontWeight: own ? 600 : 400
    })
  );
}

/**
 * What stands across, and which axes are logarithmic.
 * @param {Chart} chart @param {ReturnType<typeof layoutOf>} layout
 */
function scaleMarks({ x, across, up }, { left }) {
  const below = across === 'log' ? `${x}, log scale →` : `${x} →`;
  const marks = [
    named(
      'x-axis label',
      text([below], { frameAnchor: 'bottom-right', textAnchor: 'end', lineAnchor: 'bottom', dy: MARGIN.bottom })
    )
  ];
  if (up === 'log')
    marks.push(
      named(
        'y-axis label',
        text(['log scale'], {
          frameAnchor: 'top-left',
          textAnchor: 'start',
          lineAnchor: 'top',
          dx: -left,
          dy: -MARGIN.top
        })
      )
    );
  return marks;
}

/** @param {Chart} chart */
function tipMark({ x, lines, text: write }) {
  const [first] = lines;
  const title = (/** @type {any} */ { x: place }) =>
    [
      `${x} ${shortNumber(place)}`,
      ...lines.map(({ label, spots }) => `${label}: ${write(spots.find((spot) => spot.x === place)?.y ?? NaN)}`)
    ].join('\n');
  return tip(first.spots, pointerX({ x: 'x', y: 'y', title, ...shownTip }));
}

/** @param {number} value */
const shortNumber = (value) =>
  value >= 1024 ? `${Number((value / 1024).toPrecision(3))}k` : String(value).replace('-', '−');
