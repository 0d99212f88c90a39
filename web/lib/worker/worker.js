// The worker that openInWorker() starts, unless its caller has one.

import { serve } from './serve.js';

serve();
