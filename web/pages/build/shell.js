// What every page of the site has around its content.

/** Where head.js puts the script before the first paint, and the styles. */
export const BEFORE_PAINT = '<!--before-paint-->';

/** The page for unknown addresses, which is behind no door. */
const NOWHERE = '404.html';

/** Which picture stands for a page where it is linked: a lab's own, else that of its door. @param {string} folder */
function pictureOf(folder) {
  const [door, lab] = folder.split('/');
  if (door === 'labs' && lab) return `labs-${lab}`;
  return door && door !== NOWHERE ? door : 'calculator';
}

/**
 * @param {string} folder of the page @param {string} root the way to the site's first page: '../' of one below it
 * @param {string} page its HTML
 */
const head = (folder, root, page) => `\
<meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <link rel="icon" href="${root}icon.svg" type="image/svg+xml">
  ${BEFORE_PAINT}
  <link rel="stylesheet" href="${root}page.css">
  <meta property="og:type" content="website">
  <meta property="og:title" content="${/<title>(.*?)<\/title>/s.exec(page)?.[1] ?? ''}">
  <meta property="og:description" content="${/name="description" content="([^"]*)"/.exec(page)?.[1] ?? ''}">
  <meta property="og:image" content="${root}preview/${pictureOf(folder)}.jpg">
  <meta name="twitter:card" content="summary_large_image">`;

/** The five doors, and the pages behind each. */
export const DOORS = [
  {
    path: '',
    text: 'Calculator',
    about: 'Sizes a layer: parameters, shapes, MACs and memory.',
    icon: 'M4 3h12v14H4zM7 6h6M7 10h1M12 10h1M7 13h1M12 13h1'
  },
  {
    path: 'run/',
    text: 'Run',
    about: 'Runs a layer, or trains one, and shows where its heads look.',
    icon: 'M6 4l10 6-10 6z',
    also: ['train/']
  },
  {
    path: 'models/',
    text: 'Models',
    about: 'Sizes a whole model, from a list or from your <code>config.json</code>.',
    icon: 'M3 6l7-3 7 3-7 3zM3 10l7 3 7-3M3 14l7 3 7-3'
  },
  {
    path: 'labs/',
    text: 'Labs',
    about: 'Ask one question each, and answer it by a run.',
    icon: 'M8 3h4M9 3v5l-4 8h10l-4-8V3'
  },
  {
    path: 'guide/',
    text: 'Guide',
    about: 'What attention is, how it is counted, and how to use the module.',
    icon: 'M4 4h5l1 1 1-1h5v12h-5l-1 1-1-1H4zM10 5v12',
    also: ['speed/']
  }
];

/** @param {string} folder of the page, such as `labs/masks/` @param {string} root */
const doors = (folder, root) =>
  DOORS.map(({ path, text, icon, also = [] }) => {
    const own = [path, ...also].some((start) => (start ? folder.startsWith(start) : folder === ''));
    return `<a href="${root || './'}${path}"${own ? ` aria-current="${folder === path ? 'page' : 'true'}"` : ''}><svg viewBox="0 0 20 20" aria-hidden="true"><path d="${icon}"/></svg><span>${text}</span></a>`;
  }).join('');

/** The doors once more, with a sentence each. @param {string} root */
const doorCards = (root) =>
  `<ul class="lab-cards door-cards">${DOORS.map(
    ({ path, text, about, icon }) =>
      `<li><a href="${root || './'}${path}"><svg viewBox="0 0 20 20" aria-hidden="true"><path d="${icon}"/></svg><span class="card-text"><span class="card-question">${text}</span> <span class="card-about">${about}</span></span></a></li>`
  ).join('')}</ul>`;

/** @param {string} folder @param {string} root */
const top = (folder, root) => `\
<header class="top">
    <a class="brand" href="${root || './'}" aria-label="attnscope, start">
      <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true"><rect class="m1" width="6" height="6"/><rect class="m2" x="7" width="6" height="6"/><rect class="m3" x="14" width="6" height="6"/><rect class="m2" y="7" width="6" height="6"/><rect class="m4" x="7" y="7" width="6" height="6"/><rect class="m2" x="14" y="7" width="6" height="6"/><rect class="m1" y="14" width="6" height="6"/><rect class="m3" x="7" y="14" width="6" height="6"/><rect class="m4" x="14" y="14" width="6" height="6"/></svg>
      <span>attnscope</span>
    </a>
    <nav class="doors" aria-label="Site">
      ${doors(folder, root)}
    </nav>
    <fieldset class="theme" hidden>
      <legend class="hidden">Colours</legend>
      <label><input type="radio" name="theme" value="auto"><span>Auto</span></label>
      <label><input type="radio" name="theme" value="light"><span>Light</span></label>
      <label><input type="radio" name="theme" value="dark"><span>Dark</span></label>
    </fieldset>
  </header>`;

/** The pages behind a door that has several. */
const RUN = [
  ['run/', 'Forward'],
  ['train/', 'Train']
];
const GUIDE = [
  ['guide/', 'Concepts'],
  ['guide/conventions/', 'Conventions'],
  ['guide/api/', 'API'],
  ['guide/training/', 'Training'],
  ['guide/embedding/', 'Embedding'],
  ['speed/', 'Speed']
];

/** @param {string} name @param {string[][]} pages @param {string} folder @param {string} root */
const subnav = (name, pages, folder, root) =>
  `<nav class="subnav" aria-label="${name}">${pages
    .map(([path, text]) => `<a href="${root}${path}"${path === folder ? ' aria-current="page"' : ''}>${text}</a>`)
    .join('')}</nav>`;

/** @param {string} folder @param {string} root */
const foot = (folder, root) => `\
<footer class="foot">
    <p><a href="${root}speed/">How fast is this browser?</a></p>
    <p>attnscope, MIT licence. Counts follow PyTorch's conventions${folder === 'speed/' ? ', except that a causal layer counts half of its scores' : ''}; 1 KiB is 1,024 bytes. Nothing that you enter leaves this page.</p>
  </footer>`;

/** The way to the site's first page: '../' of one below it. @param {string} file the page's */
export const rootOf = (file) => '../'.repeat(file.split('/').length - 1);

/**
 * HTML for the placeholders that all pages have.
 * @param {string} file the page's, such as `run/index.html` @param {string} page its HTML
 * @returns {Record<string, string>}
 */
export function shell(file, page) {
  const folder = file.replace(/index\.html$/, '');
  const root = rootOf(file);
  return {
    head: head(folder, root, page),
    top: top(folder, root),
    foot: foot(folder, root),
    doorcards: doorCards(root),
    runtabs: subnav('Run', RUN, folder, root),
    guidetabs: subnav('Guide', GUIDE, folder, root)
  };
}
