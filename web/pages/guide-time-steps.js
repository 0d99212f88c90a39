// The guide's chapter on attention over time steps and dense layers: the shapes are asked from the module, the scores
// were measured in PyTorch, over ten seeds, and every link runs the same in the lab.

import { html } from 'lit';
import { OVER_LSTM } from '../plain/attention-or-dense/variants.js';
import { formatList } from '../plain/format.js';
import { fill } from './fill.js';

/** @typedef {import('./guide.js').Chapter} Chapter */

const DAYS = { batch_size: 32, seq_len: 30, hidden_size: 8 };
const timestep = { layer: 'timestep_attention', ...DAYS };
const dense = { layer: 'dense', ...DAYS, out_features: 8, activation: 'tanh' };

/** What the lab opens and runs. @param {Record<string, string | number>} settings @param {string} text */
const run = (settings, text) =>
  html`<a class="run-in-lab" href=${`../labs/attention-or-dense/?${new URLSearchParams(
    Object.entries(settings).map(([name, value]) => [name, String(value)])
  )}#run`}>${text}</a>`;

/**
 * @typedef {object} Measured a task as it was measured
 * @property {string} title
 * @property {Record<string, string | number>} settings of the lab
 * @property {string} attention @property {string} dense their held-out scores in %
 * @property {string} why
 */

/** @type {readonly Measured[]} */
const MEASURED = [
  {
    title: 'Two fixed days decide: 1,000 examples, 1,000 steps',
    settings: { task: 'which_day', variants: 'position,timestep,linear,dense,flat', samples: 1000, steps: 1000 },
    attention: 'weights by position 93.5 ± 0.7',
    dense: 'over all days 86.1 ± 1.5, on each day 56.3 ± 1.2',
    why: '48 numbers to learn instead of 482. With 3,000 examples it is 94.0 and 91.3.'
  },
  {
    title: 'Did it rise between the two? 3,000 examples, 1,000 steps',
    settings: { task: 'which_day', rule: 'rise', variants: 'position,heads_position,flat', samples: 3000, steps: 1000 },
    attention: 'weights by position 74.1 ± 0.5, two heads and positions 92.7 ± 0.5',
    dense: 'over all days 90.8 ± 0.6',
    why: 'Weights are positive: one head cannot subtract a day from another.'
  },
  {
    title: 'The average of a feature decides',
    settings: { task: 'which_average', variants: 'mean,dense_linear,heads,linear' },
    attention: 'two heads 93.3 ± 0.5',
    dense: 'on each day, linear 93.2 ± 0.4',
    why: 'Nothing to choose: the weights stay flat.'
  },
  {
    title: 'How much a feature swings decides',
    settings: { task: 'which_swing', variants: 'dense,additive,linear,flat' },
    attention: 'additive scorer 76.2 ± 1.0',
    dense: 'on each day, ReLU 92.6 ± 0.5',
    why: 'A day’s features must be combined before days are averaged, and no line does it.'
  },
  {
    title: 'A mark shows the day',
    settings: { task: 'marker', variants: 'linear,dense,flat' },
    attention: 'linear scorer 92.6 ± 1.0',
    dense: 'on each day, ReLU 92.0 ± 0.3',
    why: 'A fixed threshold finds the mark.'
  },
  {
    title: 'The highest day decides, and its level differs',
    settings: { task: 'peak_day', variants: 'linear,additive,dense,flat' },
    attention: 'linear scorer 93.3 ± 0.6',
    dense: 'on each day, ReLU 57.5 ± 2.0, over all days 51.8 ± 1.1',
    why: 'Softmax compares days: a level added to all scores changes nothing.'
  },
  {
    title: 'The day on which two signs differ',
    settings: { task: 'either_or', variants: 'linear,additive,dense' },
    attention: 'linear scorer 71.5 ± 0.8, additive scorer 93.6 ± 0.4',
    dense: 'on each day, ReLU 91.2 ± 0.8',
    why: 'The additive scorer has a tanh between two layers.'
  }
];

/** What reads the states, in the order of OVER_LSTM. */
const READERS = ['Last state', 'Mean of all', 'Time-step attention', 'Additive scorer', 'Dense over all'];

/**
 * Tasks as layers over an LSTM have learned them: held-out scores in %, in the order of OVER_LSTM.
 * @type {readonly { title: string, task: string, scores: readonly string[] }[]}
 */
const MEASURED_OVER_LSTM = [
  {
    title: 'Two fixed days decide',
    task: 'which_day',
    scores: ['74.8 ± 1.1', '53.2 ± 1.3', '83.7 ± 1.3', '52.1 ± 1.0', '86.9 ± 1.3']
  },
  {
    title: 'The highest day decides',
    task: 'peak_day',
    scores: ['65.5 ± 19.3', '88.2 ± 0.9', '89.0 ± 1.7', '90.8 ± 0.9', '70.1 ± 10.7']
  },
  {
    title: 'A mark shows the day',
    task: 'marker',
    scores: ['91.4 ± 0.7', '91.4 ± 0.8', '91.5 ± 0.7', '91.1 ± 0.8', '91.4 ± 0.6']
  },
  {
    title: 'From which list is a first name',
    task: 'first_names',
    scores: ['83.9 ± 1.3', '83.9 ± 0.8', '83.8 ± 1.2', '83.1 ± 1.3', '84.7 ± 0.9']
  },
  {
    title: 'Daily births, error',
    task: 'births',
    scores: ['7.30 ± 1.13', '10.09 ± 0.56', '7.69 ± 0.75', '9.62 ± 0.12', '6.76 ± 0.12']
  }
];

/** The most of all weight that one day, and two, can get of T where scores lie within −1 and 1. @param {number} T */
const most = (T) => [Math.E / (Math.E + (T - 1) / Math.E), (2 * Math.E) / (2 * Math.E + (T - 2) / Math.E)];
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;

/** @type {Chapter} */
export const timeSteps = {
  id: 'time-steps',
  title: 'Attention or a dense layer',
  body: (_facts, scope) => {
    const [one, other] = [scope.estimate(timestep), scope.estimate(dense)];
    const { seq_len: T, hidden_size: K } = timestep;
    const [single, pair] = most(T);
    return html`
      <p>On paper both are an activation of <i>Wx + b</i>. The shapes say what each of them learns. Take sequences of
        T = ${T} days with K = ${K} features:</p>
      <div class="scroller" tabindex="0" role="group" aria-label="Time-step attention and a dense layer">
      <table class="table"><thead><tr><th scope="col">Layer</th><th scope="col"><i>W</i></th><th scope="col"><i>b</i></th><th scope="col">Output</th><th scope="col" class="num">Parameters</th></tr></thead><tbody>
        <tr><th scope="row">${fill(timestep, 'time-step attention')}</th><td>(K, 1)</td><td>(T, 1)</td><td>${formatList(one.output_shape)}</td><td class="num">${K} + ${T} = ${one.parameters}</td></tr>
        <tr><th scope="row">${fill(dense, 'dense')}</th><td>(K, K)</td><td>(K)</td><td>${formatList(other.output_shape)}</td><td class="num">${other.parameters}</td></tr>
      </tbody></table></div>
      <p>The time-step layer weights days; a dense layer on each day weights features and cannot tell days apart. The
        part that finds yesterday and five days ago is <i>b</i>, not <i>W</i>. <a href="../labs/attention-or-dense/">The
        lab</a> shows it on one screen: nudge a day, and see what moves in each.</p>
      <p id="attention-or-dense">Which of them learns what was measured in PyTorch, over ten seeds, each with data of its own: the share right on
        held-out examples, in %, with its standard deviation. Each task runs here as well; where none are named, with the lab’s own
        number of examples and steps.</p>
      <div class="scroller" tabindex="0" role="group" aria-label="What attention and dense layers learn">
      <table class="table measured"><thead><tr><th scope="col">Task</th><th scope="col">Attention</th><th scope="col">Dense</th><th scope="col">Why</th></tr></thead><tbody>
        ${MEASURED.map(({ title, settings, attention, dense: layers, why }) => html`<tr><th scope="row">${run(settings, title)}</th><td>${attention}</td><td>${layers}</td><td>${why}</td></tr>`)}
      </tbody></table></div>
      <p id="more-expressive"><b>Is attention more expressive?</b> With weights that depend on position only, no: less. It is a dense layer
        over all days whose ${T} × ${K} matrix is β<sub>t</sub> times h<sub>k</sub> with β ≥ 0, ${T + K} numbers
        for ${T * K}. It cannot subtract two days, nor use different features on different days. It wins while examples
        are few, because it has less to learn. With weights that depend on content it is a product of functions of the
        input, which no single dense layer is. A wide enough hidden layer could imitate it at one fixed length; none that
        was tried did, with 15,554 parameters and 30,000 examples. A dense layer with ReLU on each day and a sum also picks
        a moving day if a fixed threshold marks it; and where each example’s own mean volume is taken away first, it
        learns the peak too (91.7 ± 0.9). What softmax adds is the comparison between days.</p>
      <p id="why-tanh"><b>Why the tanh?</b> In the ${run({ task: 'either_or', variants: 'linear,additive' }, 'additive scorer')} it stands <em>between</em> two layers, v·tanh(W x + b); without it they collapse into one linear score, and either-or falls from 94 to 72 %. The code in question kept the tanh and dropped v. Its scores then lie within −1 and 1: of ${T} days one can get at most ${percent(single)} of the weight, two at most ${percent(pair)}. ${run({ task: 'which_day', variants: 'timestep,timestep_none,timestep_scaled_tanh', samples: 3000, steps: 1000 }, 'No tanh, or a learned factor after it')}, frees it: 84 becomes 94 %. Bounded scores keep one wild input from taking all the weight: with 1 % of the other features’ values 30 times too large and 300 examples, the layer without tanh was unsteady (86.6 ± 13.4), the one with a learned factor was not (89.6 ± 1.5); with 3,000 examples there was no difference worth the name.</p>
      <p id="over-an-lstm"><b>On top of an LSTM</b>, as in the code in question, attention seems to improve the model. Five ways to read the states of the same LSTM (16 units), measured by this site’s own lab over ten seeds:</p>
      <div class="scroller" tabindex="0" role="group" aria-label="What reads the states of an LSTM">
      <table class="table measured"><thead><tr><th scope="col">Task</th>${READERS.map((title) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead><tbody>
        ${MEASURED_OVER_LSTM.map(({ title, task, scores }) => html`<tr><th scope="row">${run({ task, variants: OVER_LSTM.join() }, title)}</th>${scores.map((score) => html`<td class="num">${score}</td>`)}</tr>`)}
      </tbody></table></div>
      <p>Attention improves the LSTM where two fixed days decide: its last state has forgotten the earlier day, and weights
        by position find both. A dense layer over all states does it better, and weights by position without any LSTM best
        of all (93.4). Where the highest day decides, the last state fails in six runs of ten; it helps to read all states,
        and their plain mean comes within 3 points of the best scorer. Where a mark shows the day, and on first names,
        attention adds nothing beyond the noise. On births the dense layer is ahead of attention, and attention no better
        than the last state.</p>
      <p><b>Do weights explain?</b> Only if the rest of the model leaves no other way to use the days. Where ${run({ task: 'which_day', rule: 'centred', variants: 'timestep_none,position,flat', samples: 3000, steps: 1000 }, 'each window is centred over its days')}, half of the runs are right with the weights on the wrong days: “minus the 28 others” is the same answer. Over an LSTM a weight is on a state, which holds the days before it: where the highest day decides, time-step attention is right in 89 % of examples with 3 to 11 % of its weight on that day, the additive scorer in 91 % with 73 to 98 %.</p>
      <p><b>Where dense wins:</b> a day’s features combined non-linearly; two days with opposite signs against one head;
        and ${run({ task: 'births', variants: 'position,timestep_none,flat,flat_hidden' }, 'daily births in the United States')} from their own past, where a hidden layer over all days (error 6.62 ± 0.10 %)
        beats every attention layer tried, and plain least squares (7.19 %) beats one head (7.78 ± 0.04 %).</p>`;
  }
};
