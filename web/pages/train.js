import '../elements/train/train-panel.js';
import { registerOffline } from './offline.js';
import { bindThemeSwitch } from './theme-switch.js';

bindThemeSwitch(/** @type {HTMLFieldSetElement} */ (document.querySelector('.theme')));
registerOffline();
