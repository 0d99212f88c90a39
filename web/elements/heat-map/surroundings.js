// What a map depends on besides its numbers: fonts, colours of the page, whether there is a touch screen.

/**
 * Watches them until it is stopped.
 * @param {{ fonts: () => void, colours: () => void, touch: (isThere: boolean) => void }} told
 * @returns {() => void} stops
 */
export function watchSurroundings({ fonts, colours, touch }) {
  const scheme = new MutationObserver(colours);
  scheme.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const coarse = matchMedia(COARSE);
  const tellTouch = () => touch(coarse.matches);
  document.fonts.addEventListener('loadingdone', fonts);
  dark.addEventListener('change', colours);
  coarse.addEventListener('change', tellTouch);
  tellTouch();
  return () => {
    document.fonts.removeEventListener('loadingdone', fonts);
    scheme.disconnect();
    dark.removeEventListener('change', colours);
    coarse.removeEventListener('change', tellTouch);
  };
}

const COARSE = '(any-pointer: coarse)';

/** Whether a finger is what points, and there is no mouse beside it. */
export const isTouched = () => matchMedia('(pointer: coarse)').matches;

/** Before there is room, a browser may not know it. */
export const hasTouch = () => matchMedia(COARSE).matches;
