import '../elements/speed/speed-panel.js';
import { start } from './start.js';

start();
