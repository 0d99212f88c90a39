import { start } from './start.js';

start();

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
