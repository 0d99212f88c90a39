import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';

/**
 * Sets a control's property where the page is alive. A binding `.selected` would become the attribute
 * `selected="false"` of the static HTML, which means selected; this one leaves static HTML alone, where the attribute
 * says how it starts.
 */
class Follows extends Directive {
  /** @param {string} _name @param {boolean} _value */
  render(_name, _value) {
    return noChange;
  }

  /** @param {any} part @param {[string, boolean]} values */
  update({ element }, [name, value]) {
    if (element[name] !== value) element[name] = value;
    return noChange;
  }
}

export const follows = directive(Follows);
