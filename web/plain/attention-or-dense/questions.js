// The questions of the lab's title, each answered by two layers on a task: links run them, and a test holds the scores.

/**
 * @typedef {object} Side of a comparison
 * @property {string} variant its name
 * @property {string} title
 * @property {string} score on held-out examples over the task's five seeds, in %
 *
 * @typedef {object} Question
 * @property {string} question
 * @property {string} answer
 * @property {readonly [Side, Side]} sides
 * @property {string} more after the two scores
 * @property {Record<string, string>} settings of the lab that give the scores
 * @property {string} chapter of the guide: an id in it
 */

/** @type {readonly Question[]} */
export const questions = [
  {
    question: 'When does attention help?',
    answer: 'Where the day that decides is another one in each example, and is known by comparison:',
    sides: [
      { variant: 'linear', title: 'attention, a linear scorer', score: '93.3 ± 0.8' },
      { variant: 'flat', title: 'dense over all days', score: '51.8 ± 1.9' }
    ],
    more: 'Softmax compares the days; a dense layer has to learn each place by itself.',
    settings: { task: 'peak_day', variants: 'linear,flat' },
    chapter: 'attention-or-dense'
  },
  {
    question: 'Is it more expressive?',
    answer:
      'Neither contains the other. Positive weights cannot subtract a day from another, so one head cannot tell whether it rose:',
    sides: [
      { variant: 'timestep_none', title: 'time-step attention, softmax(x W + b)', score: '73.5 ± 0.8' },
      { variant: 'flat', title: 'dense over all days', score: '86.0 ± 0.5' }
    ],
    more: 'Nor can one dense layer compare days; and for fixed days it has 482 numbers to learn, attention 56.',
    settings: { task: 'which_day', rule: 'rise', variants: 'timestep_none,flat' },
    chapter: 'more-expressive'
  },
  {
    question: 'Why tanh?',
    answer:
      'Between two layers it is needed. Right under softmax it keeps two of thirty days at 34.5 % of the weight or less:',
    sides: [
      { variant: 'timestep', title: 'time-step attention, softmax(tanh(x W + b))', score: '83.6 ± 0.5' },
      { variant: 'timestep_none', title: 'without its tanh', score: '93.0 ± 0.8' }
    ],
    more: 'A dense layer over all days lies between them.',
    settings: { task: 'which_day', variants: 'timestep,timestep_none,flat' },
    chapter: 'why-tanh'
  }
];

/** Settings in an address. @param {Question} question */
export const searchOfQuestion = ({ settings }) => `?${new URLSearchParams(settings)}`;
