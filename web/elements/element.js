// Entry of `attnscope/element`: defines <attnscope-calculator>. Where there is no DOM, as on a server that renders a
// page, there is nothing to define, and importing this file does nothing.

if (globalThis.customElements) import('./embedded.js');
