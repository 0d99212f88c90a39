import '../elements/attention-or-dense/minute/panel.js';
import { start } from './start.js';

start();
