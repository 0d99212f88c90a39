import { AttnscopeCalculator } from '../elements/calculator/calculator.js';
import { define } from '../elements/shared/light-element.js';
import '../elements/charts/chart-panel.js';
import '../elements/code/code-panel.js';
import { moveOn } from './moved.js';
import { start } from './start.js';

moveOn();
define('attnscope-calculator', AttnscopeCalculator);
start();
