import { AttnscopeCalculator } from '../elements/calculator/calculator.js';
import { define } from '../elements/shared/light-element.js';
import '../elements/import/import-panel.js';
import { FIRST_MODEL, wholeModel } from '../elements/models/models.js';
import { start } from './start.js';

/** @type {any} */ (document.querySelector('attnscope-calculator')).config = wholeModel(FIRST_MODEL);
define('attnscope-calculator', AttnscopeCalculator);
start();
