// On a narrow page the chapters of the guide are folded (folded.js). They look so from the first paint on, so that
// nothing moves; if their script does not come, they are all open.

import { NARROW } from '../folded.js';

if (/\/guide\//.test(location.pathname) && matchMedia(NARROW).matches) {
  document.documentElement.dataset.folds = '';
  addEventListener('load', () => delete document.documentElement.dataset.folds);
}
