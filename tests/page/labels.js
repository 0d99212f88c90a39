// What the labels of the axes of a page's charts must not do.

/**
 * Labels that cover each other or are cut off at the edge of their chart, and tick labels that say the same as another
 * of their axis.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string[]>}
 */
export const badLabels = (page) =>
  page.locator('figure.chart').evaluateAll((figures) =>
    figures.flatMap((figure) => {
      const named = (/** @type {string} */ text) => `${/** @type {HTMLElement} */ (figure).dataset.chart}: ${text}`;
      const { left, right } = figure.getBoundingClientRect();
      const found = (/** @type {string} */ name) =>
        [...figure.querySelectorAll(`svg [aria-label${name}] text`)].map((label) => ({
          text: label.textContent,
          box: label.getBoundingClientRect()
        }));
      const axes = ['x', 'y'].map((axis) => found(`="${axis}-axis tick label"`));
      const labels = found('$=" label"');
      const covers = (/** @type {DOMRect} */ one, /** @type {DOMRect} */ other) =>
        Math.min(one.right, other.right) > Math.max(one.left, other.left) &&
        Math.min(one.bottom, other.bottom) > Math.max(one.top, other.top);
      return [
        ...axes.flatMap((axis, at) => (axis.length ? [] : [named(`no label of ${at ? 'y' : 'x'}`)])),
        ...axes.flatMap((axis) =>
          axis.flatMap(({ text }, at) =>
            axis.findIndex((other) => other.text === text) < at ? [named(`${text} stands twice`)] : []
          )
        ),
        ...labels.flatMap(({ text, box }, at) =>
          labels.slice(0, at).flatMap((other) => (covers(box, other.box) ? [named(`${text} over ${other.text}`)] : []))
        ),
        ...labels.flatMap(({ text, box }) =>
          box.left < left - 1 || box.right > right + 1 ? [named(`${text} is cut off`)] : []
        )
      ];
    })
  );
