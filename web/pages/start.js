// What every page does when it starts.

import { bindDoors } from './doors.js';
import { registerOffline } from './offline.js';
import { bindThemeSwitch } from './theme-switch.js';

export function start() {
  bindThemeSwitch(/** @type {HTMLFieldSetElement} */ (document.querySelector('.theme')));
  bindDoors();
  registerOffline();
}
