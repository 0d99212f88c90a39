import '../elements/embedded.js';
import { start } from './start.js';

start();
