// When the page has been drawn.

const HIDDEN_MS = 200;

/** Once the page is drawn; where it is not looked at, nothing is drawn, and it is done. @returns {Promise<void>} */
export async function nextFrame() {
  if (document.hidden) return;
  await new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, HIDDEN_MS); // a page that is hidden meanwhile
  });
}
