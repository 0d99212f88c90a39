// What every page of the site has around its content.

const policy =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src 'self'; img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'";

const head = `\
<meta charset="utf-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="./icon.svg" type="image/svg+xml">
  <script vite-ignore src="./before-paint.js"></script>
  <link rel="preload" as="font" type="font/woff2" crossorigin href="../../node_modules/@fontsource-variable/geist/files/geist-latin-wght-normal.woff2">
  <link rel="stylesheet" href="./page.css">`;

const SECTIONS = [
  ['steps', 'Steps'],
  ['compare', 'Compare'],
  ['run', 'Run'],
  ['pytorch', 'PyTorch'],
  ['models', 'Models'],
  ['guide', 'Guide']
];

const PAGES = [
  ['train.html', 'Train'],
  ['speed.html', 'Speed']
];

/** @param {string} file */
function links(file) {
  const calculator = file === 'index.html' ? '' : './';
  const sections = SECTIONS.map(([id, text]) => `<a href="${calculator}#${id}">${text}</a>`);
  const pages = PAGES.map(
    ([page, text]) => `<a href="./${page}"${page === file ? ' aria-current="page"' : ''}>${text}</a>`
  );
  return [...sections, ...pages].join('');
}

/** @param {string} file */
const top = (file) => `\
<header class="top">
    <a class="brand" href="./" aria-label="attnscope, start">
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><rect class="m1" width="6" height="6"/><rect class="m2" x="7" width="6" height="6"/><rect class="m3" x="14" width="6" height="6"/><rect class="m2" y="7" width="6" height="6"/><rect class="m4" x="7" y="7" width="6" height="6"/><rect class="m2" x="14" y="7" width="6" height="6"/><rect class="m1" y="14" width="6" height="6"/><rect class="m3" x="7" y="14" width="6" height="6"/><rect class="m4" x="14" y="14" width="6" height="6"/></svg>
      <span>attnscope</span>
    </a>
    <nav aria-label="Page">
      ${links(file)}
    </nav>
    <fieldset class="theme" hidden>
      <legend class="hidden">Colours</legend>
      <label><input type="radio" name="theme" value="auto"><span>Auto</span></label>
      <label><input type="radio" name="theme" value="light"><span>Light</span></label>
      <label><input type="radio" name="theme" value="dark"><span>Dark</span></label>
    </fieldset>
  </header>`;

const OTHER = /** @type {Record<string, string>} */ ({
  'index.html': '<a href="./train.html">Train a layer here</a>, <a href="./speed.html">how fast is this browser?</a>',
  'speed.html': '<a href="./">The calculator</a>, <a href="./train.html">train a layer here</a>',
  'train.html': '<a href="./">The calculator</a>, <a href="./speed.html">how fast is this browser?</a>'
});

/** @param {string} file */
const foot = (file) => `\
<footer class="foot">
    <p>${OTHER[file]}</p>
    <p>attnscope, MIT licence. Counts follow PyTorch's conventions${file === 'speed.html' ? ', except that a causal layer counts half of its scores' : ''}; 1 KiB is 1,024 bytes. Nothing that you enter leaves this page.</p>
  </footer>`;

/** HTML for the placeholders that all pages have. @param {string} file the page's @returns {Record<string, string>} */
export const shell = (file) => ({ head, top: top(file), foot: foot(file) });
