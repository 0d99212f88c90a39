// npm run bench: attnscope beside other runtimes on the same work, on this machine. Nothing here passes or fails.
// What it takes as arguments is in arguments.js, what it runs in workloads.js and trainings.js, where in
// engines/.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { build } from '../../tools/build.js';
import { ensureCommands } from '../../tools/packages.js';
import { compiler, node24 } from '../../tools/toolchain.js';
import { open } from '../../web/lib/index.js';
import { largerPeaks } from '../../web/plain/timing.js';
import { workloads } from './workloads.js';
import { parseArguments } from './arguments.js';
import { timeArrival } from './arrival.js';
import { contest } from './contest.js';
import { isTraining } from './data.js';
import { engines } from './engines/engine.js';
import { nativePyTorch, pytorchRunners } from './engines/pytorch.js';
import { installRivals } from './install.js';
import { fields } from './runtimes/all.js';
import { remarks, rowOf, table } from './table.js';
import { flopsOf, trainings } from './trainings.js';

/**
 * @typedef {import('./engines/engine.js').Engine} Engine
 * @typedef {import('./engines/engine.js').EngineName} EngineName
 * @typedef {import('./data.js').Job & { flops: number }} Job
 * @typedef {import('./engines/engine.js').Runner} Runner
 * @typedef {import('../../web/lib/index.js').Attnscope} Attnscope
 * @typedef {import('./runtimes/runtime.js').Contestant} Contestant
 * @typedef {import('./runtimes/runtime.js').Runtime} Runtime
 * @typedef {import('./table.js').Peaks} Peaks
 * @typedef {{ engine: string, threads: number, peaks: Peaks, rows: import('./table.js').Row[] }} Part
 */

const PEAK_LIMIT = 30_000; // milliseconds
const PEAK_TRIES = 5;

/** What the machine does besides, over the last minute. */
const load = () => Number(os.loadavg()[0].toFixed(2));

/** @param {string} script */
async function runInNode24(script) {
  const tools = await node24();
  const [command, args, { cwd, env }] = tools.line(tools.node, [script]);
  const [code] = await once(spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' }), 'close');
  process.exitCode = code ?? 1;
}

async function timeLimits() {
  await build(); // the kernels of which it is made
  const programs = ['limits', 'steps'];
  await (await compiler()).run('cmake', ['--build', '--preset', 'wasm', '--target', ...programs]);
  for (const program of programs) await runInNode24(`build/wasm/${program}.cjs`);
}

/**
 * What the machine reaches; the best of several tries, before and after the workloads: other work only lowers it.
 * @param {Engine} engine
 * @param {string} ours
 * @param {number} threads
 */
async function measurePeaks(engine, ours, threads) {
  const runner = engine.start(ours, threads);
  try {
    await runner.ask({ order: 'open' }, PEAK_LIMIT);
    /** @type {Peaks} */
    let peaks = { flops_per_second: 0, bytes_per_second: 0 };
    for (let i = 0; i < PEAK_TRIES; i++) peaks = largerPeaks(peaks, await runner.ask({ order: 'peaks' }, PEAK_LIMIT));
    return peaks;
  } finally {
    await runner.end();
  }
}

/**
 * @param {string} title
 * @param {Engine} engine
 * @param {Contestant[]} able ours first
 * @param {number} threads
 * @param {Job[]} chosen
 * @param {(threads: number) => Runner} [native] where one of them is native PyTorch
 * @returns {Promise<Part>}
 */
async function runPart(title, engine, able, threads, chosen, native) {
  const before = await measurePeaks(engine, able[0].name, threads);
  /** @type {import('./contest.js').Entry[][]} */
  const entries = [];
  const start = (/** @type {string} */ name) =>
    native && name === nativePyTorch.name ? native(threads) : engine.start(name, threads);
  for (const workload of chosen) {
    progress(`${title}: ${workload.name} (${entries.length + 1} of ${chosen.length})`);
    entries.push(await contest(workload, able, start));
  }
  progress('');
  const peaks = largerPeaks(before, await measurePeaks(engine, able[0].name, threads));
  const rows = chosen.map((workload, i) => rowOf(workload, entries[i], peaks));
  console.log(
    `\n${title}; peak ${(peaks.flops_per_second / 1e9).toFixed(0)} GFLOP/s, reading ${(peaks.bytes_per_second / 1e9).toFixed(1)} GB/s`
  );
  console.log([table(rows), ...remarks(rows).map((remark) => `${title}: ${remark}`)].join('\n'));
  return { engine: engine.version, threads, peaks, rows };
}

/** One line that the next one replaces. @param {string} text */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/**
 * @param {EngineName} name
 * @param {Runtime[]} field
 * @param {Job[]} chosen
 * @param {(part: Part) => void} keep
 * @param {(threads: number) => Runner} [native]
 */
async function runEngine(name, field, chosen, keep, native) {
  const engine = await engines[name]();
  const layers = chosen.filter((job) => !isTraining(job));
  const steps = chosen.filter(isTraining);
  try {
    for (const threads of [1, 2]) {
      const title = `${engine.version}, ${threads} thread${threads > 1 ? 's' : ''}`;
      const able = field.filter((runtime) => runtime.threads[name].includes(threads));
      const trains = [...able.filter(({ trainingWays }) => trainingWays), ...(native ? [nativePyTorch] : [])];
      if (layers.length > 0) keep(await runPart(title, engine, able, threads, layers));
      if (steps.length > 0) keep(await runPart(`training, ${title}`, engine, trains, threads, steps, native));
    }
  } finally {
    await engine.close();
  }
}

/** Everything there is, with its FLOPs: those of trainings attnscope's own estimate knows. @param {Attnscope} scope */
function jobsOf(scope) {
  return /** @type {Job[]} */ [
    ...workloads,
    ...trainings.map((training) => ({ ...training, flops: flopsOf(scope, training) }))
  ];
}

async function main() {
  const options = parseArguments(process.argv.slice(2));
  const names = [...workloads, ...trainings].map(({ name }) => name);
  if (!names.some((name) => name.includes(options.only)))
    throw new Error(`no workload's name contains ${options.only}; there are\n  ${names.join('\n  ')}`);
  if (options.ours) return runInNode24('tests/bench/ours.js');
  if (options.limits) return timeLimits();
  if (options.arrival) return timeArrival();
  if (options.engines.includes('chromium')) await ensureCommands(['chromium']);
  await installRivals();
  const scope = await open({ threads: 1 });
  const native = options.pytorch ? await pytorchRunners(scope) : undefined;
  const chosen = jobsOf(scope).filter(({ name }) => name.includes(options.only));
  const machine = {
    cpu: os.cpus()[0]?.model.trim(),
    cores: os.availableParallelism(),
    load_before: load(),
    load_after: 0
  };
  console.log(`${machine.cpu}, ${machine.cores} cores, load average ${machine.load_before}`);
  console.log('medians, milliseconds and GFLOP/s; ratio: the best rival over attnscope, above 1 attnscope is faster');
  /** @type {Part[]} */
  const parts = [];
  const keep = (/** @type {Part} */ part) => {
    // each at once: what comes after takes minutes, and may be ended
    parts.push(part);
    machine.load_after = load();
    if (options.json !== null) writeFileSync(options.json, `${JSON.stringify({ machine, parts }, null, 2)}\n`);
  };
  for (const name of options.engines)
    await runEngine(name, fields[options.build], chosen, keep, name === 'node' ? native : undefined);
  console.log(`\nload average ${machine.load_after} at the end, this benchmark included`);
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
