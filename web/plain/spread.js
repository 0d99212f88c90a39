/**
 * Places near the wanted ones in which labels do not cover each other: in the same order, none nearer than `gap` to the
 * next, and between `low` and `high` as long as there is room.
 * @param {readonly number[]} wanted
 * @param {{ gap: number, low: number, high: number }} limits
 */
export function spread(wanted, { gap, low, high }) {
  const order = wanted.map((_, index) => index).sort((a, b) => wanted[a] - wanted[b]);
  const places = [...wanted];
  order.forEach((index, rank) => {
    const free = rank ? places[order[rank - 1]] + gap : low;
    places[index] = Math.max(wanted[index], free);
  });
  order.reverse().forEach((index, rank) => {
    const free = rank ? places[order[rank - 1]] - gap : high;
    places[index] = Math.min(places[index], free);
  });
  return places;
}
