// Buttons that a visitor pressed on the static page, before the live one replaced it.

/**
 * Presses of static buttons are kept (pages/public/doors.js writes them down as `data-clicked`: numbers that say when,
 * as many as there were presses). The function that it returns does them, in their order, on the buttons that have
 * taken their place, each after the page shows what the one before has changed.
 * @param {Element & { updateComplete: Promise<unknown> }} root
 */
export function keepClicks(root) {
  const buttons = /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll('[data-clicked]')]);
  const clicks = buttons
    .flatMap((button) => {
      const text = textOf(button);
      const at = alike(root, text).indexOf(button);
      return String(button.dataset.clicked)
        .split(' ')
        .map((time) => ({ text, at, time: Number(time) }));
    })
    .sort((before, after) => before.time - after.time);
  return async () => {
    for (const { text, at } of clicks) {
      await root.updateComplete;
      alike(root, text)[at]?.click();
    }
  };
}

const textOf = (/** @type {Element} */ button) => button.textContent?.replace(/\s+/g, ' ').trim() ?? '';

/** Its buttons with a text. @param {Element} root @param {string} text */
const alike = (root, text) => [...root.querySelectorAll('button')].filter((button) => textOf(button) === text);
