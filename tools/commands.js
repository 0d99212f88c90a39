// Runs other programs. Knows nothing of what they are for.

import { spawn } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * @typedef {object} RunOptions
 * @property {string} [cwd] the folder to run in; default: the current one
 * @property {Record<string, string>} [env] variables added to the present ones
 * @property {string} [label] what to call it in messages; default: the command
 * @property {number} [timeout] milliseconds after which it is ended; default: never
 */

/** What a command ran into. The message has the whole output, so that nothing needs to be run again to see it. */
export class CommandError extends Error {
  /**
   * @param {string} command
   * @param {string} reason such as `exit code 1`
   * @param {string} output standard output and error, in the order they came
   */
  constructor(command, reason, output) {
    super([`${command}: ${reason}`, output.trimEnd()].filter(Boolean).join('\n'));
    this.name = 'CommandError';
    this.output = output;
  }
}

/**
 * The path of a command, or null where PATH has none of that name.
 * @param {string} name
 * @param {string} [path] folders to look in; default: PATH
 */
export function find(name, path = process.env.PATH ?? '') {
  const candidates = path
    .split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name));
  return candidates.find(isProgram) ?? null;
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Runs a command to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<string>} its output
 * @throws {CommandError} if it cannot start or exits with another code than 0
 */
export async function run(command, args, options = {}) {
  const { code, output } = await attempt(command, args, options);
  if (code !== 0)
    throw new CommandError(options.label ?? command, typeof code === 'number' ? `exit code ${code}` : code, output);
  return output;
}

/**
 * Like `run`, but an exit code is a result as well.
 * @param {string} command
 * @param {string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<{ code: number | string, output: string, processor: number }>} code: the exit code, or words where
 *   there is none; processor: seconds of all cores that it took with the programs that it started, 0 where the system
 *   does not tell
 */
export function attempt(command, args, { cwd, env, timeout } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      timeout,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe']
    });
    /** @type {Buffer[]} */
    const chunks = [];
    let processor = 0;
    const done = (/** @type {number | string} */ code) =>
      resolve({ code, output: Buffer.concat(chunks).toString(), processor });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    child.on('exit', () => (processor = sinceLastExit()));
    child.on('error', (error) => done(error.message));
    child.on('close', (code, signal) => done(code ?? `ended by ${signal}`));
  });
}

/** Processor seconds of all programs that this process has started and that have ended, with those they started. */
export function childSeconds() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS;
  } catch {
    return 0; // no Linux
  }
}

/** Linux counts processor time in hundredths of a second for all programs. */
const TICKS = 100;

let counted = 0;

/** The processor seconds that the end of a program has added. Of two that end at once the first gets both. */
function sinceLastExit() {
  const before = counted;
  counted = childSeconds();
  return counted - before;
}
