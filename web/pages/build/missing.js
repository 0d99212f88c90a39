// The script of the page for addresses that lead nowhere. A host sends that page under any address, so neither it nor
// its files can be told where the site begins: this looks for it, from the address upwards. The build puts the script
// into the page and fills in the constants.

const pages = ['PAGES'];
const styles = ['STYLES'];
const modules = ['MODULES'];

/** Of folders between an address and the site's first page. */
const MOST_FOLDERS = 12;

/** The address of the site's first page; null if it cannot be found. @returns {Promise<URL | null>} */
async function findRoot() {
  let folder = new URL('./', location.href);
  for (let tried = 0; tried < MOST_FOLDERS; tried++) {
    if (await isRoot(folder)) return folder;
    if (folder.pathname === '/') return null;
    folder = new URL('../', folder);
  }
  return null;
}

/** @param {URL} folder */
async function isRoot(folder) {
  const answer = await fetch(new URL('icon.svg', folder)).catch(() => null);
  return Boolean(answer?.ok) && /svg/.test(answer?.headers.get('Content-Type') ?? '');
}

/** The page that an address means which lacks its slash, or has an ending or capitals too many. @param {URL} root */
function meant({ pathname }) {
  const name = location.pathname.slice(pathname.length).toLowerCase();
  const folder = `${name.replace(/(^|\/)index(\.html?)?$|\.html?$|\/+$/, '')}/`.replace(/^\/$/, '');
  return pages.includes(folder) && pathname + folder !== location.pathname ? folder : null;
}

/** The site's own type and its switches. @param {URL} root */
function dress(root) {
  document.documentElement.dataset.root = root.href;
  document.head.append(Object.assign(document.createElement('base'), { href: root.href }));
  for (const file of styles)
    document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: file }));
  for (const file of modules)
    document.head.append(Object.assign(document.createElement('script'), { type: 'module', src: file }));
}

function nameAddress() {
  const address = /** @type {HTMLElement} */ (document.querySelector('.missing-address'));
  address.textContent = readable(location.pathname);
  address.title = location.href;
}

/** @param {string} path */
function readable(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

document.documentElement.dataset.seeking = '';
document.addEventListener('DOMContentLoaded', async () => {
  nameAddress();
  const root = await findRoot();
  const page = root && meant(root);
  if (page !== null) location.replace(root + page + location.search + location.hash);
  else {
    if (root) dress(root);
    delete document.documentElement.dataset.seeking;
  }
});
