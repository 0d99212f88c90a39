// Debian packages that this machine itself needs: the tools that make and enter a root, and the browser of the page
// tests.

import { find, run } from './commands.js';

/** The package of each command. */
const packages = { mmdebstrap: 'mmdebstrap', newuidmap: 'uidmap', bwrap: 'bubblewrap', chromium: 'chromium' };

/** @typedef {keyof typeof packages} Command */

/**
 * Makes sure that commands are there; installs what is missing where that is possible.
 * @param {Command[]} commands
 * @param {() => Promise<string>} [advice] what else the user can do, added to the message
 * @throws {Error} if one is missing and cannot be installed, with what to install
 */
export function ensureCommands(commands, advice) {
  // One after the other: apt-get lets in only one.
  const turn = last.then(() => ensure(commands, advice));
  last = turn.catch(() => {});
  return turn;
}

/** @type {Promise<void>} */
let last = Promise.resolve();

/**
 * @param {Command[]} commands
 * @param {() => Promise<string>} [advice]
 */
async function ensure(commands, advice) {
  const missing = commands.filter((command) => !find(command)).map((command) => packages[command]);
  if (missing.length === 0) return;
  if (!find('apt-get') || process.getuid?.() !== 0) throw new Error(cannotInstall(missing, await advice?.()));
  console.log(`packages: installing ${missing.join(' ')} (apt-get)`);
  await install(missing).catch(async (error) => {
    throw new Error(`${error.message}\n${cannotInstall(missing, await advice?.())}`);
  });
}

/** @param {string[]} names */
async function install(names) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  const wait = ['-o', 'DPkg::Lock::Timeout=300']; // for somebody else's installation
  const install = [...wait, 'install', '--yes', '--no-install-recommends', ...names];
  try {
    await run('apt-get', install, { env });
  } catch {
    // The lists are missing, or older than the packages on the mirror.
    await run('apt-get', ['update'], { env });
    await run('apt-get', install, { env });
  }
}

/**
 * @param {string[]} names
 * @param {string} [advice]
 */
export function cannotInstall(names, advice = '') {
  return [
    `Please install ${names.join(' and ')} (on Debian or Ubuntu: sudo apt-get install ${names.join(' ')}).`,
    advice
  ]
    .filter(Boolean)
    .join('\n');
}
