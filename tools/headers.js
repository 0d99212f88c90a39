// The headers that the site is served with: what threads need, and a strict Content-Security-Policy.

/** With these a page is isolated from others, and browsers give it shared memory, so threads. */
export const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp'
};

/** All that pages of the site may load, which is what lies beside them. */
export const policy = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "worker-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'"
].join('; ');

export const headers = { ...isolation, 'Content-Security-Policy': policy };
