// <attnscope-calculator> in a page of somebody else: it brings its styles, and its lower panels when they are needed.

import { unsafeCSS } from 'lit';
import { AttnscopeCalculator } from './calculator/calculator.js';
import { LazyPanels } from './lazy-panels.js';
import { define } from './shared/light-element.js';
import base from './styles/base.css?inline';
import devices from './styles/devices.css?inline';

class EmbeddedCalculator extends AttnscopeCalculator {
  static styles = [unsafeCSS(base), unsafeCSS(devices)]; // those of the lower panels come between them

  constructor() {
    super();
    this.addController(new LazyPanels(this));
  }
}

define('attnscope-calculator', EmbeddedCalculator);
