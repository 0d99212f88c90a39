// Each lab by its name, loaded when it is asked for.

/**
 * @typedef {import('../../plain/labs/settings.js').Setting} Setting
 * @typedef {import('../../plain/labs/settings.js').Values} Values
 * @typedef {{ live: boolean, set: (patch: Values, gesture?: string) => void }} Stage `live`: whether scripts run, so
 *   that elements draw; `set` changes settings from within the figure
 * @typedef {object} Lab
 * @property {readonly Setting[]} settings
 * @property {(scope: import('../../lib/index.js').Attnscope, values: Values) => any} compute
 * @property {(data: any, values: Values) => string} notice what there is to see, true of the data
 * @property {(data: any) => Record<string, unknown>} layer what the calculator opens
 * @property {(data: any, stage: Stage) => unknown} figure
 * @property {(data: any) => import('./pictures.js').Small} small its picture on the list of the labs
 */

/** @param {string} name @returns {Promise<Lab>} */
export async function loadLab(name) {
  const load = LOADERS[name];
  if (!load) throw new Error(`there is no lab ${name}`);
  return load();
}

const LOADERS = /** @type {Record<string, () => Promise<Lab>>} */ ({
  'five-mistakes': async () => (await import('./five-mistakes.js')).lab,
  'one-head-or-eight': async () => (await import('./one-head-or-eight.js')).lab,
  'why-sqrt-d': async () => (await import('./why-sqrt-d.js')).lab,
  masks: async () => (await import('./masks.js')).lab,
  positions: async () => (await import('./positions.js')).lab,
  'kv-cache': async () => (await import('./kv-cache.js')).lab,
  'linear-or-additive': async () => (await import('./linear-or-additive.js')).lab,
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((number) => [
      `tutorial/${number}`,
      async () => (await import('./tutorial.js')).chapterLab(number)
    ])
  )
});
