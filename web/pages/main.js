import { AttnscopeCalculator } from '../elements/calculator.js';
import { define } from '../elements/light-element.js';
import '../elements/panels.js';
import { bindFillLinks } from './fill-links.js';
import { bindThemeSwitch } from './theme-switch.js';
import { registerOffline } from './offline.js';

define('attnscope-calculator', AttnscopeCalculator);
bindThemeSwitch(/** @type {HTMLFieldSetElement} */ (document.querySelector('.theme')));
bindFillLinks(/** @type {Element} */ (document.querySelector('.guide')), /** @type {any} */ (document.querySelector('attnscope-calculator')));
registerOffline();

const mistakes = document.querySelector('attnscope-mistakes');
if (mistakes) {
  new IntersectionObserver((entries, observer) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    import('../elements/mistakes/mistakes.js');
  }, { rootMargin: '400px' }).observe(mistakes);
}
