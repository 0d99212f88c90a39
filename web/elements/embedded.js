// <attnscope-calculator> in a page of somebody else: it brings its styles, and its lower panels when they are needed.

import { unsafeCSS } from 'lit';
import { AttnscopeCalculator } from './calculator/calculator.js';
import { LazyPanels } from './lazy-panels.js';
import { define } from './shared/light-element.js';
import styles from './styles/calculator.css?inline';

class EmbeddedCalculator extends AttnscopeCalculator {
  static styles = unsafeCSS(styles);

  constructor() {
    super();
    this.addController(new LazyPanels(this));
  }
}

define('attnscope-calculator', EmbeddedCalculator);
