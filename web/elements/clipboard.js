// Text out of the page: to the clipboard, or to a file.

/** @param {string} text @returns {Promise<void>} rejects when the browser allows neither way */
export async function copyText(text) {
  if (navigator.clipboard) {
    try {
      await navigator.clipboard.writeText(text);
      return;
    } catch {
      // Refused (no permission, no focus): the older way may still work.
    }
  }
  const box = document.createElement('textarea');
  box.value = text;
  box.className = 'off-screen';
  document.body.append(box);
  box.select();
  const copied = document.execCommand('copy');
  box.remove();
  if (!copied) throw new Error('the browser did not allow copying');
}

/** @param {string} name @param {string} text @param {string} [type] */
export function downloadText(name, text, type = 'text/plain') {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
