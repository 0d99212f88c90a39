// npm run format: writes JavaScript and C++ as `npm test -- style` wants them.

import { installed, main } from './build.js';
import { run } from './commands.js';
import { project } from './folders.js';
import { clangFormatArguments, prettier } from './style.js';
import { clangFormat, formatter } from './toolchain.js';

await main(async () => {
  await installed();
  await run(...prettier('write'), { cwd: project, label: 'prettier' });
  const tools = await formatter();
  if (!tools) return console.log(`C++ is left as it is: ${clangFormat} is not on PATH`);
  await tools.run(clangFormat, clangFormatArguments('write'));
});
