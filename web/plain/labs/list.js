// The labs in their order: a question each, and where its page is.

/**
 * @typedef {{ name: string, question: string, about: string, lead: string }} Entry `name`: the folder of the page,
 *   below that of the labs; `about`: one line for the list; `lead`: what stands before the figure
 */

/** The lab that trains: its page is its own. @type {Entry} */
export const contest = {
  name: 'attention-or-dense',
  question: 'How is attention different from a dense layer?',
  about: 'Both learn the same tasks here: what each finds, and what it looks at.',
  lead: 'Attention compares the days of an example with one another and weighs each by what it finds; the weights of a dense layer are the same in every example. So attention finds a day that moves, from few numbers; where features must be combined or days subtracted, a dense layer is as good or better.'
};

/** @type {readonly Entry[]} */
export const questions = [
  {
    name: 'five-mistakes',
    question: 'What goes wrong without an error?',
    about: 'Five mistakes with attention that run to the end, beside what was meant.',
    lead: 'Attention code seldom crashes when it is wrong. Each of these runs to its end with the right shapes; the numbers beside it are executed here, the wrong way and the right way.'
  },
  {
    name: 'one-head-or-eight',
    question: 'What can eight heads do that one cannot?',
    about: 'The same parameters as one head and as eight.',
    lead: 'A layer of 128 features can be one head or eight of 16: the parameters and the work are the same. Here they are the same numbers, only split differently.'
  },
  {
    name: 'why-sqrt-d',
    question: 'Why divide by √d?',
    about: 'Dot products grow with the head, and softmax loses all but one key.',
    lead: 'A score is a sum of d products, so its spread grows with √d. Softmax turns spread into certainty, and certainty lets no gradient through. Random queries and keys show it.'
  },
  {
    name: 'masks',
    question: 'Who may look at whom?',
    about: 'Causal, padding, window, and a row that sees nothing.',
    lead: 'A mask hides keys from queries before softmax. Choose one, or drag across the cells to paint your own, and see who takes over the weight.'
  },
  {
    name: 'positions',
    question: 'How does attention know the order?',
    about: 'Shuffle the words, and see what each kind of position notices.',
    lead: 'Attention adds up what it finds, and a sum has no order. Positions come in through the input, the queries and keys, or the scores; each way leaves another trace.'
  },
  {
    name: 'kv-cache',
    question: 'What does the KV cache save?',
    about: 'One token after another: what is computed, what is kept.',
    lead: 'A decoder makes one token at a time. The keys and values of the tokens before do not change, so they can be kept, or made again for every token.'
  },
  {
    name: 'linear-or-additive',
    question: 'Can a linear scorer say “this or that, not both”?',
    about: 'A linear and an additive scorer learn the same points.',
    lead: 'A scorer says how much a position counts. Both learn here from the same 64 points which ones are wanted; the linear one has a single direction to say it by.'
  }
];

/** @type {readonly Entry[]} */
export const chapters = [
  {
    name: 'tutorial/1',
    question: 'Scaled dot-product attention',
    about: 'Three tensors in, weights and output out.',
    lead: 'Each query is compared with each key; softmax makes weights of the scores, and the output is the average of the values by these weights. Two sequences of 4 vectors with 8 numbers.'
  },
  {
    name: 'tutorial/2',
    question: 'An attention layer',
    about: 'Learned projections around it, and its weights.',
    lead: 'A layer learns what to ask for: linear projections make queries, keys and values of its input, and another one what comes out. One sequence of 5 vectors with 64 numbers.'
  },
  {
    name: 'tutorial/3',
    question: 'Self-attention',
    about: 'One input three times, a residual and a norm.',
    lead: 'Queries, keys and values all come from one sequence. What attention adds to it goes through a residual connection and a layer norm. Two sequences of 10 vectors with 128 numbers.'
  },
  {
    name: 'tutorial/4',
    question: 'Multi-head attention',
    about: 'One head and eight, of the same size.',
    lead: 'Several heads look at the sequence side by side, each at its share of the features. One head and eight, on the same two sequences.'
  },
  {
    name: 'tutorial/5',
    question: 'A classifier',
    about: 'Tokens in, two logits out.',
    lead: 'Token embeddings, one layer of four heads, a mean over all positions, and a linear layer with two outputs: 32 texts of 50 tokens out of 5,000.'
  },
  {
    name: 'tutorial/6',
    question: 'A training step',
    about: 'Loss, gradients, Adam, and the loss again.',
    lead: 'Forward with dropout, cross-entropy against random labels, gradients, and an update by Adam with a rate of 0.001. Further steps go on with the same 32 texts.'
  }
];

/** The page with the list of the chapters. */
export const tutorial = {
  name: 'tutorial',
  question: 'What does the tutorial print?',
  about: 'Attention in PyTorch in six chapters, each with its output.',
  lead: ''
};

/** The training page, to which the labs lead. */
export const training = {
  question: 'Watch an induction head appear',
  about: 'A decoder of two layers learns to copy while you watch its heads.'
};

const all = [contest, ...questions, ...chapters];

/**
 * A lab, and those before and after it.
 * @param {string} name
 */
export function placeOf(name) {
  const index = all.findIndex((entry) => entry.name === name);
  if (index < 0) throw new Error(`there is no lab ${name}`);
  const chapter = chapters.indexOf(all[index]);
  return { entry: all[index], chapter, before: all[index - 1] ?? null, after: all[index + 1] ?? null };
}
