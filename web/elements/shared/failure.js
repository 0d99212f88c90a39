// The message of an element that cannot start: its static content stays below.

/** @param {Element} element @param {string} text */
export function sayFailure(element, text) {
  const alert = document.createElement('p');
  alert.className = 'field-error';
  alert.setAttribute('role', 'alert');
  alert.textContent = text;
  element.prepend(alert);
}
