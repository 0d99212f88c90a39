import { AttnscopeCalculator } from '../elements/calculator/calculator.js';
import { define } from '../elements/shared/light-element.js';
import '../elements/import/import-panel.js';
import { models } from '../elements/models/converted.js';
import { FIRST_MODEL, wholeModel } from '../elements/models/models.js';
import { start } from './start.js';

/** An address that names fields but no layer is about a published model: by its name, or about the first one. */
function completeAddress() {
  const asked = new URLSearchParams(location.search);
  const named = asked.get('model') ?? FIRST_MODEL;
  if (asked.has('layer') || !models.some(({ name }) => name === named)) return;
  const fields = Object.entries(wholeModel(named));
  if (!asked.has('model') && !fields.some(([field]) => asked.has(field))) return;
  asked.delete('model');
  for (const [field, value] of fields) if (!asked.has(field) && value !== null) asked.set(field, String(value));
  history.replaceState(null, '', `?${asked}${location.hash}`);
}

completeAddress();
/** @type {any} */ (document.querySelector('attnscope-calculator')).config = wholeModel(FIRST_MODEL);
define('attnscope-calculator', AttnscopeCalculator);
start();
