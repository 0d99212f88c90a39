// What every page does when it starts.

import { afterFigure } from './after-figure.js';
import { putOnFonts } from './fonts.js';
import { registerOffline } from './offline.js';
import { bindThemeSwitch } from './theme-switch.js';

export async function start() {
  bindThemeSwitch(/** @type {HTMLFieldSetElement} */ (document.querySelector('.theme')));
  await afterFigure();
  registerOffline();
  await putOnFonts();
}
