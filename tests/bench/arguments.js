// What `npm run bench --` takes.

/**
 * @typedef {import('./engines/engine.js').EngineName} EngineName
 *
 * @typedef {object} Options
 * @property {boolean} arrival times the site's first live figure on a slow phone
 * @property {'relaxed' | 'simd'} build of ours
 * @property {EngineName[]} engines one after the other
 * @property {boolean} limits times what our kernels are made of
 * @property {boolean} ours times only attnscope
 * @property {string | null} json where the result is also written
 * @property {boolean} pytorch times native PyTorch beside the trainings in Node
 * @property {string} only workloads whose name contains it
 */

/** @type {Record<string, EngineName[]>} */
const engines = { node: ['node'], chromium: ['chromium'], both: ['node', 'chromium'] };

/** @type {Record<string, Options['build']>} */
const builds = { relaxed: 'relaxed', simd: 'simd' };

export const usage = `\
npm run bench                    attnscope beside other runtimes, in Node and in Chromium
npm run bench -- --engine NAME   in node, chromium or both
npm run bench -- --build simd    our build without relaxed SIMD, beside onnxruntime-web, which has none either
npm run bench -- --only TEXT     only workloads whose name contains TEXT
npm run bench -- --pytorch       native PyTorch as well, beside what trains in Node; for orientation
npm run bench -- --json FILE     writes the result as well
npm run bench -- --ours          only attnscope, in Node: estimate, forward and training steps
npm run bench -- --arrival       the site's first live figure on a slow phone, in Chromium
npm run bench -- --limits        our kernels, the steps that they are made of, and what the machine allows`;

/**
 * @param {string[]} words
 * @returns {Options}
 * @throws {Error} for a word that is none of these, or one without its value
 */
export function parseArguments(words) {
  /** @type {Options} */
  const options = {
    arrival: false,
    build: 'relaxed',
    engines: engines.both,
    limits: false,
    ours: false,
    pytorch: false,
    json: null,
    only: ''
  };
  const rest = [...words];
  const valueOf = (/** @type {string} */ name) => {
    const value = rest.shift();
    if (value === undefined || value.startsWith('--')) throw new Error(`${name} needs a value\n\n${usage}`);
    return value;
  };
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--ours') options.ours = true;
    else if (word === '--limits') options.limits = true;
    else if (word === '--arrival') options.arrival = true;
    else if (word === '--pytorch') options.pytorch = true;
    else if (word === '--json') options.json = valueOf(word);
    else if (word === '--only') options.only = valueOf(word);
    else if (word === '--engine') options.engines = choice(engines, word, valueOf(word));
    else if (word === '--build') options.build = choice(builds, word, valueOf(word));
    else throw new Error(`no argument ${word}\n\n${usage}`);
  }
  const alone = ['--ours', '--limits', '--arrival'].find((word) => words.includes(word));
  if (alone && words.length > 1) throw new Error(`${alone} stands alone\n\n${usage}`);
  return options;
}

/**
 * @template T
 * @param {Record<string, T>} choices
 * @param {string} argument
 * @param {string} name
 */
function choice(choices, argument, name) {
  if (!Object.hasOwn(choices, name))
    throw new Error(`${argument} must be one of ${Object.keys(choices).join(', ')}, got ${name}\n\n${usage}`);
  return choices[name];
}
