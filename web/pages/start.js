// What every page does when it starts.

import { registerOffline } from './offline.js';
import { bindThemeSwitch } from './theme-switch.js';

export function start() {
  bindThemeSwitch(/** @type {HTMLFieldSetElement} */ (document.querySelector('.theme')));
  registerOffline();
}
