// A lab before any script, in its first state.

import { initialValues } from '../../plain/labs/settings.js';
import { loadLab } from './labs.js';
import { labView } from './view.js';

const nothingHappens = () => {};

/**
 * @param {import('../../lib/index.js').Attnscope} scope @param {string} name
 * @param {string} root the way to the site's first page
 */
export async function staticLab(scope, name, root) {
  const lab = await loadLab(name);
  const values = initialValues(lab.settings);
  return labView(
    {
      ...{ lab, data: lab.compute(scope, values), values, entered: values, errors: {}, leftOut: [] },
      ...{ failure: '', said: '', live: false, root }
    },
    { set: nothingHappens, settle: nothingHappens, copy: nothingHappens }
  );
}
