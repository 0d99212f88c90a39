// The script that every page runs before its first paint. It waits for no module: the build makes one classic script of
// this folder (build/head.js), which is all that the page's parser waits for.

import './policy.js';
import './look.js';
import './doors.js';
import './folds.js';
import './core.js';
