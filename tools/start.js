// npm start: builds what is stale and serves the site.

import { build, main } from './build.js';
import { project } from './folders.js';
import { headers } from './headers.js';

/** @returns {number} */
function portOf(env = process.env) {
  const port = Number(env.PORT ?? 8080);
  if (!Number.isInteger(port) || port < 1 || port > 65535)
    throw new Error(`PORT must be a whole number from 1 to 65535, got ${env.PORT}`);
  return port;
}

/** @param {number} port */
async function serve(port) {
  const { preview } = await import('vite');
  process.chdir(project); // vite.config.js names its folders from here
  try {
    return await preview({ preview: { port, strictPort: true, headers }, logLevel: 'warn' });
  } catch (error) {
    if (!/in use/.test(String(error))) throw error;
    throw new Error(`port ${port} is taken: stop what uses it, or choose another with PORT=8081 npm start`, {
      cause: error
    });
  }
}

await main(async () => {
  const port = portOf();
  await build();
  await serve(port);
  console.log(`attnscope: http://localhost:${port}`);
});
