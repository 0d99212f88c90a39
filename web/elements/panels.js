// The lower panels, all at once: the site has their static content on its page already.

import './charts/chart-panel.js';
import './code/code-panel.js';
import './import/import-panel.js';
import './run/run-panel.js';
