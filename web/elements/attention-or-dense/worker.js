// Trains some variants off the page's thread, in slices: between two of them the page says what is next.

import { serve } from '../../lib/worker/serve.js';
import { servedTasks } from '../../plain/attention-or-dense/served.js';

serve(servedTasks());
