// When the page has been drawn.

const HIDDEN_MS = 200;

/** Once the page is drawn; soon, where it is not looked at. @returns {Promise<void>} */
export const nextFrame = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => resolve());
    setTimeout(resolve, HIDDEN_MS);
  });
