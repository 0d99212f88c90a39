import { AttnscopeCalculator } from '../elements/calculator/calculator.js';
import { define } from '../elements/shared/light-element.js';
import '../elements/run/run-panel.js';
import { start } from './start.js';

define('attnscope-calculator', AttnscopeCalculator);
start();
