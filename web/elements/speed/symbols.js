// The mark of each line of the roofline, the same in the chart and its legend: told apart by shape, and by color as
// well.

import { svg } from 'lit';

/**
 * @typedef {import('../../plain/measured.js').Series} Series
 * @typedef {[x: number, y: number][]} Outline corners around (0, 0), in radii
 */

const ROUND = 32; // corners that make a circle of a few pixels

/** @type {Record<Series, { tone: string, outline: Outline }>} */
const marks = {
  product: {
    tone: 'var(--tone-d)',
    outline: [
      [-0.8, -0.8],
      [0.8, -0.8],
      [0.8, 0.8],
      [-0.8, 0.8]
    ]
  },
  multihead: {
    tone: 'var(--tone-b)',
    outline: Array.from({ length: ROUND }, (_, i) => [
      Math.cos((2 * Math.PI * i) / ROUND),
      Math.sin((2 * Math.PI * i) / ROUND)
    ])
  },
  attention: {
    tone: 'var(--tone-a)',
    outline: [
      [0, -1.1],
      [1.1, 0.85],
      [-1.1, 0.85]
    ]
  },
  'causal attention': {
    tone: 'var(--tone-c)',
    outline: [
      [0, 1.1],
      [1.1, -0.85],
      [-1.1, -0.85]
    ]
  },
  'linear scorer': {
    tone: 'var(--warn-line)',
    outline: [
      [0, -1.2],
      [1.2, 0],
      [0, 1.2],
      [-1.2, 0]
    ]
  },
  'additive scorer': {
    tone: 'var(--warn-line)',
    outline: [
      [-0.4, -1.1],
      [0.4, -1.1],
      [0.4, -0.4],
      [1.1, -0.4],
      [1.1, 0.4],
      [0.4, 0.4],
      [0.4, 1.1],
      [-0.4, 1.1],
      [-0.4, 0.4],
      [-1.1, 0.4],
      [-1.1, -0.4],
      [-0.4, -0.4]
    ]
  }
};

/** @param {Series} key */
export const toneOf = (key) => marks[key].tone;

/** A symbol for Plot. @param {Series} key */
export const symbolOf = (key) => ({
  /**
   * @param {{ moveTo: Function, lineTo: Function, closePath: Function }} context
   * @param {number} size the area of a circle of one radius
   */
  draw(context, size) {
    const radius = Math.sqrt(size / Math.PI);
    marks[key].outline.forEach(([x, y], corner) => context[corner ? 'lineTo' : 'moveTo'](x * radius, y * radius));
    context.closePath();
  }
});

/** @param {Series} key */
export const symbolView = (key) =>
  svg`<svg class="mark" viewBox="-1.3 -1.3 2.6 2.6" width="13" height="13" aria-hidden="true"><polygon points=${marks[key].outline.map((corner) => corner.map((at) => at.toFixed(2))).join(' ')} fill=${toneOf(key)}></polygon></svg>`;
