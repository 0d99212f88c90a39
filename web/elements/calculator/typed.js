// What a visitor changed on the static page before the live one replaced it, and which control had the focus.

/** Values by field name. @param {Element} root */
export function typedInto(root) {
  const controls = /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (
    root.querySelectorAll('.form [name]')
  );
  return Object.fromEntries([...controls].filter(isChanged).map((control) => [control.name, valueOf(control)]));
}

/** @param {HTMLInputElement | HTMLSelectElement} control */
function isChanged(control) {
  if (control instanceof HTMLSelectElement) return !control.selectedOptions[0]?.defaultSelected;
  if (control.type === 'radio') return control.checked && !control.defaultChecked;
  return control.type === 'checkbox'
    ? control.checked !== control.defaultChecked
    : control.value !== control.defaultValue;
}

/** @param {HTMLInputElement | HTMLSelectElement} control */
const valueOf = (control) =>
  control.type === 'checkbox' ? /** @type {HTMLInputElement} */ (control).checked : control.value;

/**
 * What it returns gives the focus to the control that takes the place of the one that has it now.
 * @param {Element} root
 */
export function keepFocus(root) {
  const active = /** @type {HTMLInputElement | null} */ (root.querySelector(':focus'));
  const selector = active ? selectorOf(active) : '';
  const caret = active?.type === 'text' ? [active.selectionStart, active.selectionEnd] : null;
  return () => {
    const control = selector ? /** @type {HTMLInputElement | null} */ (root.querySelector(selector)) : null;
    control?.focus();
    if (caret) control?.setSelectionRange(caret[0], caret[1]);
  };
}

/** @param {HTMLInputElement} control */
function selectorOf({ id, type, name, value, dataset, parentElement }) {
  if (id) return `#${id}`;
  if (type === 'radio') return `[name="${name}"][value="${value}"]`;
  if (type === 'range') return `[data-field="${parentElement?.dataset.field}"] [type=range]`;
  return dataset.export ? `[data-export="${dataset.export}"]` : '';
}
