import { AttnscopeCalculator } from '../elements/calculator/calculator.js';
import { define } from '../elements/shared/light-element.js';
import '../elements/panels.js';
import { bindFillLinks } from './fill-links.js';
import { bindThemeSwitch } from './theme-switch.js';
import { registerOffline } from './offline.js';

define('attnscope-calculator', AttnscopeCalculator);
bindThemeSwitch(/** @type {HTMLFieldSetElement} */ (document.querySelector('.theme')));
bindFillLinks(
  /** @type {Element} */ (document.querySelector('.guide')),
  /** @type {any} */ (document.querySelector('attnscope-calculator'))
);
registerOffline();

const mistakes = document.querySelector('attnscope-mistakes');
if (mistakes) {
  const observer = new IntersectionObserver(
    (entries) => {
      if (entries.some((entry) => entry.isIntersecting)) load();
    },
    { rootMargin: '400px' }
  );
  const load = () => {
    observer.disconnect();
    import('../elements/mistakes/mistakes.js');
  };
  observer.observe(mistakes);
  // Tab skips a button that is not there yet, however near it will be.
  mistakes.closest('.guide')?.addEventListener('focusin', load, { once: true });
}
