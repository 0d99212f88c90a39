// Light, dark, or as the system says. public/before-paint.js applies the stored choice before the first paint.

/** @param {HTMLFieldSetElement} fieldset */
export function bindThemeSwitch(fieldset) {
  const { dataset } = document.documentElement;
  const current = dataset.theme ?? 'auto';
  const show = (/** @type {string} */ theme) => {
    for (const input of fieldset.querySelectorAll('input')) input.checked = input.value === theme;
    if (theme === 'auto') delete dataset.theme;
    else dataset.theme = theme;
  };
  show(current);
  fieldset.hidden = false;
  fieldset.addEventListener('change', (event) => {
    const { value } = /** @type {HTMLInputElement} */ (event.target);
    show(value);
    remember(value);
  });
  // Chosen in another tab; null when that one has cleared its storage.
  addEventListener('storage', ({ key, newValue }) => {
    if (key === 'theme' || key === null) show(THEMES.includes(newValue ?? '') ? String(newValue) : 'auto');
  });
}

const THEMES = ['light', 'dark'];

/** @param {string} value */
function remember(value) {
  try {
    localStorage.setItem('theme', value);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}
