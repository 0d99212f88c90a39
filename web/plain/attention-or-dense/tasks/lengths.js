// At which lengths a task can be run: where the place of a day does not matter, a layer that has learned it at one is
// tried at the others.

/** @type {import('../../labs/settings.js').Choice} */
export const lengths = {
  name: 'days',
  label: 'Days',
  kind: 'choice',
  initial: '30',
  choices: ['15', '30', '60'].map((value) => ({ value, text: value }))
};
