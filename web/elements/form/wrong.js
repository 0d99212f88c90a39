// Wrong fields of a list that may be folded: the list opens, and its summary counts them.

import { html, nothing } from 'lit';
import { ref } from 'lit/directives/ref.js';

/** Opens the `<details>` that it stands on while fields are wrong. @param {number} wrong how many */
export const opensWhereWrong = (wrong) => ref((details) => wrong && details?.setAttribute('open', ''));

/** Goes on in a summary: `, 2 wrong`. @param {number} wrong how many */
export const wrongText = (wrong) => (wrong ? html`, <b class="wrong">${wrong} wrong</b>` : nothing);
