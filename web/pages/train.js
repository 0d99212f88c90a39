import '../elements/train/train-panel.js';
import { start } from './start.js';

start();
