// What the lab "Attention or dense" claims of trained layers, each over five seeds: with margins that experiments of
// PyTorch's over ten other seeds have given. A seed has its own data, weights and order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Runs } from '../../web/plain/attention-or-dense/runs.js';
import { checkPlan } from '../../web/plain/attention-or-dense/settings.js';
import { sourceOf } from '../../web/plain/attention-or-dense/source.js';
import { mean } from '../../web/plain/attention-or-dense/statistics.js';
import { loadData, taskNamed } from '../../web/plain/attention-or-dense/tasks.js';
import { scope } from './support.js';

await loadData('births');

const SEEDS = 5;

/**
 * What is found of some variants: a share or an error, and what they look at, seed by seed.
 * @param {string} task @param {string[]} variants @param {Record<string, any>} [values] @param {number} [count] of
 *   seeds
 */
function found(task, variants, values = {}, count = SEEDS) {
  const { plan, errors } = checkPlan(scope, { task, variants, seeds: count, ...values });
  assert.deepEqual(errors, {});
  const runs = new Runs(scope, { plan, table: null, variants });
  const of = (/** @type {string} */ variant) =>
    Array.from({ length: count }, (_, seed) => {
      runs.train({ variant, seed, most: Infinity, seconds: Infinity });
      return runs.finish({ variant, seed });
    });
  try {
    return Object.fromEntries(
      variants.map((variant) => {
        const ends = of(variant);
        const scores = ends.map(({ score }) => score);
        const looks = ends.map((end) => end.looks);
        return [variant, { scores, mean: mean(scores), looks, others: ends.map(({ others }) => others) }];
      })
    );
  } finally {
    runs.dispose();
  }
}

/** @param {ReturnType<typeof found>} all @param {Record<string, [number, number]>} ranges of means, in % */
function assertWithin(all, ranges) {
  for (const [variant, [least, most]] of Object.entries(ranges)) {
    const percent = 100 * all[variant].mean;
    assert.ok(percent >= least && percent <= most, `${variant}: ${percent} is not from ${least} to ${most}`);
  }
}

test('which day: weights by position and without tanh find the two days, the question’s tanh keeps them apart', () => {
  const all = found('which_day', ['timestep_none', 'position', 'timestep', 'dense', 'flat']);
  assertWithin(all, {
    ...{ timestep_none: [91, 100], position: [91, 100], timestep: [80, 86.5] },
    ...{ dense: [53, 60.5], flat: [82, 89.5] }
  });
  assert.ok(all.timestep_none.mean - all.flat.mean >= 0.03, 'ahead of a dense layer over all days');
  assert.ok(all.timestep_none.looks.every(({ decisive }) => decisive >= 0.8));
  assert.ok(
    all.timestep.looks.every(({ decisive }) => decisive <= 0.346),
    'no two of thirty days get more'
  );
  const two = (/** @type {any} */ { lost }) =>
    lost
      .map((_, day) => day)
      .sort((a, b) => lost[b] - lost[a])
      .slice(0, 2)
      .sort();
  for (const { looks } of [all.timestep_none, all.flat]) assert.ok(looks.every((one) => `${two(one)}` === '25,29'));
});

test('did it rise? One head cannot subtract, a dense layer over all days can', () => {
  const all = found('which_day', ['timestep_none', 'dense', 'flat'], { rule: 'rise', samples: 3000, steps: 1000 });
  assertWithin(all, { timestep_none: [71, 76.5], dense: [47.5, 52.5], flat: [88, 100] });
});

test('which feature swings: a ReLU layer on each day measures it, attention a little, averages not at all', () => {
  const all = found('which_swing', ['dense', 'additive', 'linear', 'mean', 'flat']);
  assertWithin(all, {
    ...{ dense: [90, 100], additive: [72, 80], linear: [66, 73], mean: [47.5, 53.5], flat: [47.5, 53.5] }
  });
});

test('which feature’s average: nothing differs, and the weights stay flat', () => {
  const all = found('which_average', ['mean', 'dense_linear', 'heads', 'linear']);
  const three = ['mean', 'dense_linear', 'heads'];
  assertWithin(all, Object.fromEntries(three.map((name) => [name, [91.5, 100]])));
  const means = three.map((name) => all[name].mean);
  assert.ok(Math.max(...means) - Math.min(...means) <= 0.01, `${means}`);
  assert.ok(mean(all.linear.looks.map(({ largest }) => largest)) <= 0.05);
});

test('the peak moves: scorers compare the days and find it, at other lengths too; dense layers do not', () => {
  const all = found('peak_day', ['linear', 'additive', 'timestep', 'dense', 'flat', 'flat_hidden']);
  assertWithin(all, {
    ...{ linear: [91, 100], additive: [91, 100], timestep: [55, 64], dense: [45, 63], flat: [45, 55] },
    flat_hidden: [45, 55]
  });
  assert.ok(mean(all.linear.looks.map(({ decisive }) => decisive)) >= 0.88);
  assert.ok(mean(all.additive.looks.map(({ decisive }) => decisive)) >= 0.92);
  assert.ok(
    all.timestep.looks.every(({ largest }) => largest <= 0.2035),
    'no one of thirty days gets more'
  );
  for (const name of ['linear', 'additive'])
    for (const at of [0, 1]) {
      const score = mean(all[name].others.map((others) => others[at].score));
      assert.ok(score >= 0.905, `${name} at ${all[name].others[0][at].title}: ${score}`);
    }
  assert.deepEqual(
    all.flat.others[0].map(({ score, reason }) => [score, reason]),
    [
      [null, 'fits 30 days only'],
      [null, 'fits 30 days only']
    ]
  );
});

test('either-or: a linear score, and a tanh of one, favour one order at best; wide enough ones solve it', () => {
  const all = found('either_or', ['linear', 'additive_1', 'additive_8', 'additive']);
  assertWithin(all, { linear: [68.5, 74.5] });
  assert.ok(all.additive_1.scores.every((score) => score <= 0.77));
  for (const name of ['additive_8', 'additive'])
    assert.ok(all[name].scores.filter((score) => score >= 0.91).length >= 4, `${name}: ${all[name].scores}`);
});

test('births: least squares beat weights by position, which find the weeks; a hidden layer beats both', () => {
  const all = found('births', ['position', 'flat_hidden']);
  const exact = sourceOf(taskNamed('births'), {}).opponents(3990);
  const errors = Object.fromEntries(exact.map(({ name, score }) => [name, score]));
  assert.ok(Math.abs(errors.least_squares - 7.19) <= 0.02 && Math.abs(errors.last_week - 9.41) <= 0.01);
  assert.ok(all.position.mean >= 7.6 && all.position.mean <= 8.3, `${all.position.mean}`);
  assert.ok(all.flat_hidden.mean >= 6.3 && all.flat_hidden.mean <= 7, `${all.flat_hidden.mean}`);
  for (const { weights } of all.position.looks)
    assert.ok([7, 14, 21, 28].reduce((sum, lag) => sum + weights[28 - lag], 0) >= 0.65, `${weights}`);
});

test('over an LSTM, two fixed days: its last state forgets the earlier one, attention and a dense layer find both', () => {
  const all = found('which_day', ['lstm', 'lstm_timestep', 'lstm_flat'], {}, 2);
  assertWithin(all, { lstm: [71.5, 78.5], lstm_timestep: [80, 87.5], lstm_flat: [83, 91] });
  assert.ok(all.lstm_timestep.looks.every(({ decisive }) => decisive >= 0.25 && decisive <= 0.346));
});

test('over an LSTM, the peak: the mean of all states nearly does what scorers do, whose weights need not be on the peak', () => {
  const all = found('peak_day', ['lstm_mean', 'lstm_timestep', 'lstm_additive'], {}, 2);
  assertWithin(all, { lstm_mean: [84.5, 91], lstm_timestep: [84, 93], lstm_additive: [87.5, 94] });
  assert.ok(all.lstm_timestep.looks.every(({ decisive }) => decisive <= 0.2));
  assert.ok(all.lstm_additive.looks.every(({ decisive }) => decisive >= 0.5));
});

test('a dense layer on each day and the mean of all cannot tell days apart: their order changes nothing', () => {
  const { config } = checkPlan(scope, { task: 'which_day', variants: 'dense' }).variants[0];
  const model = scope.create(config, { seed: 3 });
  try {
    const features = scope.randn([64, 30, 8], { seed: 5 });
    const turned = Float32Array.from(features.data, (_, place) => {
      const [row, day, feature] = [Math.floor(place / 240), Math.floor(place / 8) % 30, place % 8];
      return features.data[row * 240 + ((7 * day + 3) % 30) * 8 + feature];
    });
    const { output } = model.forward({ features });
    const other = model.forward({ features: { ...features, data: turned } }).output;
    output.data.forEach((value, at) => assert.ok(Math.abs(value - other.data[at]) <= 1e-5));
  } finally {
    model.dispose();
  }
});
