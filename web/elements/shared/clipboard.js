// Text out of the page: to the clipboard, or to a file.

export const COPIED = 'Copied';
const SAID_MS = 2000;

/**
 * Copies, and says for a moment that it did, or why it could not.
 * @param {string} text
 * @param {(said: string) => void} say
 */
export async function copyAndSay(text, say) {
  say('');
  try {
    await copyText(text);
    say(COPIED);
    setTimeout(() => say(''), SAID_MS);
  } catch (error) {
    say(/** @type {Error} */ (error).message);
  }
}

/** @param {string} text @returns {Promise<void>} rejects when the browser allows neither way */
async function copyText(text) {
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
export const downloadText = (name, text, type = 'text/plain') => download(name, text, type);

/** @param {string} name @param {BlobPart} content @param {string} type */
export function download(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
