// What a run has recorded. The longer it gets, the fewer steps are kept, always the same ones: a run that is repeated
// has the same curve.

/**
 * @typedef {object} Point after some steps
 * @property {number} step
 * @property {number} loss of training, in this step
 * @property {number} accuracy of training
 * @property {number} held_loss of data that it is not trained on
 * @property {number} held_accuracy
 * @property {number | null} gradient_norm of all gradients together; null before the first step
 * @property {Record<string, number>} gradients the norm of each parameter's gradient, by its name; none before the
 *   first step
 * @property {import('./attention.js').Seen | null} seen in the held-out example; kept of fewer points
 */

export const MOST_POINTS = 240;
const FIRST = 5;
const POINTS_A_MOMENT = 4;
/** All moments together take no more bytes than so many. */
const MOST_BYTES = 64 * 2 ** 20;
const FEWEST_MOMENTS = 8;

/** Every how many steps there is a point, at some step. @param {number} step */
export function everyAt(step) {
  let every = FIRST;
  while (step / every > MOST_POINTS) every *= 2;
  return every;
}

/** Of how many points one keeps its weights: of fewer, the larger they are. @param {Point} point */
function pointsAMoment({ seen }) {
  const most = seen ? Math.max(FEWEST_MOMENTS, MOST_BYTES / seen.weights.data.byteLength) : Infinity;
  let points = POINTS_A_MOMENT;
  while (MOST_POINTS / points > most) points *= 2;
  return points;
}

export class History {
  /** @param {Point[]} [points] that another one has recorded */
  constructor(points = []) {
    this.points = points;
  }

  /** @param {Point} point later than all others, or of the same step as the last */
  add(point) {
    const every = everyAt(point.step);
    const apart = every * pointsAMoment(point);
    this.points = [
      ...this.points
        .filter(({ step }) => step % every === 0 && step < point.step)
        .map((one) => (one.seen && one.step % apart !== 0 ? { ...one, seen: null } : one)),
      point
    ];
  }

  /** The points of which the attention weights are kept. */
  get moments() {
    return this.points.filter(({ seen }) => seen);
  }

  /** @returns {Point | undefined} */
  get last() {
    return this.points.at(-1);
  }
}

const COLUMNS = /** @type {const} */ (['step', 'loss', 'accuracy', 'held_loss', 'held_accuracy', 'gradient_norm']);

/** After RFC 4180: a line a point, with the norm of each parameter's gradient at its end. @param {Point[]} points */
export function runCsv(points) {
  const parameters = Object.keys(points.at(-1)?.gradients ?? {});
  const head = [...COLUMNS, ...parameters.map((name) => `gradient_norm.${name}`)];
  const row = (/** @type {Point} */ point) => [
    ...COLUMNS.map((name) => point[name] ?? ''),
    ...parameters.map((name) => point.gradients[name] ?? '')
  ];
  return [head, ...points.map(row), ''].map((cells) => [cells].flat().join(',')).join('\r\n');
}
