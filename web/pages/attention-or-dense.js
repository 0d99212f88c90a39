import '../elements/attention-or-dense/minute/panel.js';
import '../elements/attention-or-dense/lab/panel.js';
import { start } from './start.js';

start();
