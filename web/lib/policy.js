// The page's Trusted Types policy. A page lets a policy be made once, so the element, which is bundled, and a page that
// imports the library share this file.

/** @type {any} */
let policy;

/**
 * An address for pages that require Trusted Types; null where they allow no policy of that name.
 * @param {any} trustedTypes @param {string} address
 */
export function trustedUrl(trustedTypes, address) {
  try {
    policy ??= trustedTypes.createPolicy('attnscope', { createScriptURL: (/** @type {string} */ url) => url });
  } catch {
    return null;
  }
  return policy.createScriptURL(address);
}
