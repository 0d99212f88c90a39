import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { cannotInstall, ensureCommands } from '../../tools/packages.js';
import { quiet, scratch } from './scratch.js';

/**
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} programs what PATH has
 */
function onlyPrograms(t, programs) {
  const folder = scratch(t, programs);
  const before = process.env.PATH;
  process.env.PATH = folder;
  t.after(() => void (process.env.PATH = before));
  return folder;
}

const program = '#!/bin/sh\n';

test('what is there is not installed', async (t) => {
  onlyPrograms(t, { mmdebstrap: program, bwrap: program, 'apt-get': '#!/bin/sh\nexit 1\n' });
  await ensureCommands(['mmdebstrap', 'bwrap']);
});

test('where packages cannot be installed, the message says what to install, both ways', async (t) => {
  onlyPrograms(t, { mmdebstrap: program });
  await assert.rejects(
    ensureCommands(['mmdebstrap', 'bwrap'], async () => 'Or emsdk.'),
    {
      message: 'Please install bubblewrap (on Debian or Ubuntu: sudo apt-get install bubblewrap).\nOr emsdk.'
    }
  );
});

test('several packages are named together', () => {
  assert.equal(cannotInstall(['a', 'b']), 'Please install a and b (on Debian or Ubuntu: sudo apt-get install a b).');
});

/** Only root installs packages; the apt-get of these tests is a script. @param {import('node:test').TestContext} t */
function asRoot(t) {
  const { getuid } = process;
  process.getuid = () => 0;
  t.after(() => {
    process.getuid = getuid;
  });
}

test('what is missing is installed, after an update of the lists where they are old', async (t) => {
  asRoot(t);
  const lines = quiet(t);
  const folder = onlyPrograms(t, {});
  const apt = join(folder, 'apt-get');
  const log = join(folder, 'log');
  writeFileSync(
    apt,
    `#!/bin/sh\n[ "$1" = -o ] && shift 2\necho "$1" >> ${log}\n[ "$1" = update ] && { : > ${folder}/updated; exit 0; }\n[ -e ${folder}/updated ]\n`,
    { mode: 0o755 }
  );
  await ensureCommands(['mmdebstrap', 'bwrap']);
  assert.equal(readFileSync(log, 'utf8'), 'install\nupdate\ninstall\n');
  assert.deepEqual(lines, ['packages: installing mmdebstrap bubblewrap (apt-get)']);
  assert.equal(existsSync(join(folder, 'updated')), true);
});

test('an installation that fails is told with its output and what to do', async (t) => {
  asRoot(t);
  quiet(t);
  onlyPrograms(t, { 'apt-get': '#!/bin/sh\necho "E: no network"\nexit 100\n' });
  await assert.rejects(ensureCommands(['chromium']), {
    message:
      'apt-get: exit code 100\nE: no network\nPlease install chromium (on Debian or Ubuntu: sudo apt-get install chromium).'
  });
});
