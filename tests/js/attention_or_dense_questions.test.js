// The three answers under the lab's first screen: each score is the one that its link gives.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { questions, searchOfQuestion } from '../../web/plain/attention-or-dense/questions.js';
import { Runs } from '../../web/plain/attention-or-dense/runs.js';
import { checkPlan, readAddress } from '../../web/plain/attention-or-dense/settings.js';
import { scoreText } from '../../web/plain/attention-or-dense/verdict.js';
import { scope } from './support.js';

/** The scores of a variant by seed. @param {Runs} runs @param {string} variant @param {number} seeds */
const scoresOf = (runs, variant, seeds) =>
  Array.from({ length: seeds }, (_, seed) => {
    runs.train({ variant, seed, most: Infinity, seconds: Infinity });
    return runs.finish({ variant, seed }).score;
  });

for (const question of questions)
  test(`${question.question} The scores are those that the link gives`, () => {
    const { values, errors, strangers } = readAddress(searchOfQuestion(question));
    assert.deepEqual([errors, strangers], [{}, []]);
    const { plan, variants: entrants } = checkPlan(scope, values);
    assert.ok(plan);
    const runs = new Runs(scope, { plan, table: null, variants: plan.variants });
    try {
      const texts = Object.fromEntries(
        plan.variants.map((variant) => [variant, scoreText(scoresOf(runs, variant, plan.seeds))])
      );
      for (const { variant, score } of question.sides) assert.equal(texts[variant], `${score}\u202f%`, variant);
      if (question.chapter === 'why-tanh') {
        const [tanh, none, flat] = ['timestep', 'timestep_none', 'flat'].map((name) => Number.parseFloat(texts[name]));
        assert.ok(tanh < flat && flat < none, 'a dense layer lies between');
      }
      if (question.chapter === 'more-expressive')
        assert.deepEqual(
          entrants.map(({ parameters }) => parameters),
          [56, 482]
        );
    } finally {
      runs.dispose();
    }
  });
