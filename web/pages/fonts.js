/** The site's faces, which page.css declares. */
const FACES = ['Geist Variable', 'Geist Mono Variable'];

/**
 * Loads the site's fonts and puts them on. Until then faces of the system stand in for them: on a slow line the 53 kB
 * would come before the first figure. At the next visit the browser has the fonts, and before-paint/look.js puts them
 * on at once.
 */
export async function putOnFonts() {
  try {
    await Promise.all(FACES.map((face) => document.fonts.load(`15px "${face}"`)));
    document.documentElement.dataset.fonts = '';
    localStorage.setItem('fonts', 'loaded');
  } catch {
    // A font did not come, and the stand-ins stay; or storage is forbidden, and the next page puts them on as late.
  }
}
