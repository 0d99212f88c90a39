import '../elements/labs/lab.js';
import { start } from './start.js';

start();
