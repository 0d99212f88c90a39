// A cell of CSV, after RFC 4180.

/** Empty for null and undefined; the items of an array stand behind each other. @param {unknown} value */
export function csvCell(value) {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
