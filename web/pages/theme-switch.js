// Light, dark, or as the system says. public/before-paint.js applies the stored choice before the first paint.

/** @param {HTMLFieldSetElement} fieldset */
export function bindThemeSwitch(fieldset) {
  const { dataset } = document.documentElement;
  const current = dataset.theme ?? 'auto';
  for (const input of fieldset.querySelectorAll('input')) input.checked = input.value === current;
  fieldset.hidden = false;
  fieldset.addEventListener('change', (event) => {
    const { value } = /** @type {HTMLInputElement} */ (event.target);
    if (value === 'auto') delete dataset.theme;
    else dataset.theme = value;
    remember(value);
  });
}

/** @param {string} value */
function remember(value) {
  try {
    localStorage.setItem('theme', value);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}
