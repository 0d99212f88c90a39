// A contest of variants: what it plays where, pauses, keeps, goes back to, forks, and answers. Its workers run in this
// process here.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { Contest } from '../../web/elements/attention-or-dense/contest.js';
import { openSession } from '../../web/elements/attention-or-dense/session.js';
import {
  FORMAT,
  MOST_BYTES,
  MOST_KEPT,
  noteOf,
  packed,
  parted,
  stepsOf,
  unneeded
} from '../../web/plain/attention-or-dense/kept.js';
import { isMoment, momentsFor, pointsCsv, scoresCsv } from '../../web/plain/attention-or-dense/points.js';
import { servedTasks } from '../../web/plain/attention-or-dense/served.js';
import { checkPlan, searchOf } from '../../web/plain/attention-or-dense/settings.js';
import { loadData } from '../../web/plain/attention-or-dense/tasks.js';
import { scope } from './support.js';

await Promise.all(['births', 'emoji'].map(loadData));

/** As a worker does: what crosses is copied. @param {typeof scope} [own] */
function openHere(own = scope) {
  const tasks = servedTasks();
  let ended = false;
  return {
    call: async (name, job) => {
      const answer = await tasks[name](own, structuredClone(job));
      if (ended) throw new DOMException('the run was ended', 'AbortError');
      return structuredClone(answer);
    },
    dispose: () => {
      ended = true;
    }
  };
}

const small = { task: 'which_day', variants: ['position', 'flat'], samples: 128, steps: 20, seeds: 2 };

/** A contest that has begun, and a promise of its end. */
function begun(values = {}, { cores = 2, listener = {}, open = () => openHere() } = {}) {
  const { plan, errors, variants } = checkPlan(scope, { ...small, ...values });
  assert.deepEqual(errors, {});
  let end;
  let fail;
  const ended = new Promise((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const contest = new Contest({ changed() {}, ended: end, failed: fail, ...listener }, { open, cores });
  contest.begin(plan, null, variants);
  return { contest, ended };
}

/** @param {Parameters<typeof begun>} how */
async function played(...how) {
  const { contest, ended } = begun(...how);
  contest.play();
  await ended;
  return contest;
}

/** All that came of it. @param {Contest} contest */
const found = ({ variants }) => variants.map(({ name, seeds }) => ({ name, seeds }));

test('every variant makes all steps with every seed, on the same numbers however many cores there are', async () => {
  const contest = await played();
  assert.ok(contest.done && !contest.playing);
  for (const { seeds } of contest.variants) {
    assert.deepEqual(
      seeds.map(({ seed, step, score }) => [seed, step, score !== null]),
      [
        [0, 20, true],
        [1, 20, true]
      ]
    );
    for (const { points, looks, moments } of seeds) {
      assert.equal(points[0].step, 0);
      assert.equal(points.at(-1).step, 20);
      assert.equal(looks.lost.length, 30);
      assert.deepEqual(moments, [2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
    }
  }
  assert.ok(contest.score.chance > 0.4 && contest.score.chance < 0.6);
  assert.deepEqual(found(await played({}, { cores: 1 })), found(contest));
});

test('workers of their own make the same runs', async () => {
  const contest = await played({ seeds: 1 }, { open: openSession });
  const own = await open({ threads: 1 }); // the build that workers take
  assert.deepEqual(found(contest), found(await played({ seeds: 1 }, { open: () => openHere(own) })));
  contest.dispose();
});

test('parameters and multiply-accumulates are known before anything runs', () => {
  const { contest } = begun();
  assert.deepEqual(
    contest.variants.map(({ parameters, macs }) => [parameters, macs > 0]),
    [
      [48, true],
      [482, true]
    ]
  );
  assert.equal(contest.step, 0);
});

test('a pause takes effect after a slice; one step is one step of each; a contest goes on where it was', async () => {
  const { contest, ended } = begun({ seeds: 1 });
  contest.play();
  contest.pause();
  assert.equal(contest.playing, false);
  const stepped = new Promise((resolve) => {
    contest.stepOnce();
    resolve(contest.ask('flat', 0, 'tensors'));
  });
  await stepped;
  await contest.state(); // after what is under way
  const steps = contest.variants.map(({ seeds: [{ step }] }) => step);
  contest.play();
  await ended;
  assert.ok(steps.every((step) => step < 20));
  assert.deepEqual(found(contest), found(await played({ seeds: 1 })), 'the same run, but for a point at the step');
});

test('what is kept goes on with the same bits, after a copy', async () => {
  const whole = await played();
  const { contest } = begun();
  contest.stepOnce();
  await contest.state();
  contest.stepOnce();
  const kept = structuredClone(await contest.state());
  const { contest: other, ended } = begun();
  await other.resume(kept);
  assert.equal(other.step, 2);
  assert.deepEqual(
    (await other.state()).runs.map(({ state }) => state),
    kept.runs.map(({ state }) => state)
  );
  other.play();
  await ended;
  const ends = (one) =>
    one.variants.map(({ seeds }) => seeds.map(({ score, looks, moments }) => ({ score, looks, moments })));
  assert.deepEqual(ends(other), ends(whole));
});

test('a fork is what its own plan makes from the beginning, and its link says so', async () => {
  const { contest, ended } = begun();
  contest.play();
  await ended;
  const plan = await contest.fork(9, { lr: 0.5, steps: 24 });
  assert.deepEqual(plan.changes, [{ step: 8, lr: 0.5 }]);
  assert.match(searchOf(plan), /changes=8%3A0\.5/);
  assert.deepEqual(
    contest.variants.map(({ seeds }) => seeds.map(({ step, score }) => [step, score])),
    [
      [
        [8, null],
        [8, null]
      ],
      [
        [8, null],
        [8, null]
      ]
    ]
  );
  const again = new Promise((resolve) => {
    const timer = () => (contest.done ? resolve(undefined) : setImmediate(timer));
    timer();
  });
  contest.play();
  await again;
  const anew = await played({ steps: 24, changes: plan.changes });
  const ends = (one) => one.variants.map(({ seeds }) => seeds.map(({ score, looks }) => ({ score, looks })));
  assert.deepEqual(ends(contest), ends(anew));
});

test('going back to before the first moment is the beginning', async () => {
  const contest = await played();
  assert.equal(await contest.rewind(1), 0);
  assert.ok(
    contest.variants.every(({ seeds }) => seeds.every(({ step, points }) => step === 0 && points.length === 0))
  );
  await assert.rejects(contest.fork(0, { steps: 0 }), /^RangeError: steps must be an integer above 0/);
});

test('a run that is refused says why, and the others go on', async () => {
  const contest = await played({ lr: 10, task: 'which_swing', variants: ['flat', 'mean'], steps: 30 });
  assert.ok(contest.done);
  for (const { seeds } of contest.variants)
    for (const { failure, score } of seeds) assert.ok((failure === '') === (score !== null));
});

test('what a worker cannot do is told, and the next play begins anew', async () => {
  let broken = true;
  const open = () => {
    const session = openHere();
    return {
      ...session,
      call: (name, job) => (broken && name === 'train' ? Promise.reject(new Error('gone')) : session.call(name, job))
    };
  };
  const { contest, ended } = begun({ seeds: 1 }, { open });
  contest.play();
  await assert.rejects(ended, /^Error: gone$/);
  assert.equal(contest.playing, false);
  broken = false;
  await new Promise((resolve) => {
    const look = () => (contest.done ? resolve(undefined) : setImmediate(look));
    contest.play();
    look();
  });
  assert.ok(contest.variants.every(({ seeds }) => seeds[0].score !== null));
});

test('what is ended answers nobody: an ask is rejected, and nothing of it is shown', async () => {
  const { contest } = begun();
  const asked = contest.ask('flat', 0, 'example', { index: 0 });
  contest.reset();
  await assert.rejects(asked, { name: 'AbortError' });
  assert.equal(contest.step, 0);
});

test('an example: dense layers have no weights, and both say what is lost with each day', async () => {
  const contest = await played();
  const dense = await contest.ask('flat', 1, 'example', { index: 3 });
  const attention = await contest.ask('position', 1, 'example', { index: 3 });
  assert.deepEqual(dense.inputs, attention.inputs, 'the same example for all');
  assert.deepEqual(dense.days, [25, 29]);
  assert.equal(dense.weights, null);
  assert.ok(Math.abs(attention.weights.reduce((sum, one) => sum + one, 0) - 1) < 1e-5);
  for (const said of [dense, attention]) for (const of of [said.gradients, said.lost]) assert.equal(of.length, 30);
  await assert.rejects(
    contest.ask('flat', 1, 'example', { index: 2000 }),
    /^RangeError: index must be an integer from 0 to 1999/
  );
  await assert.rejects(contest.ask('mean', 1, 'example', {}), /^RangeError: mean is not among the variants/);
});

test('a nudge of a dense layer over all days moves every example alike; one of attention does not', async () => {
  const contest = await played({
    task: 'peak_day',
    variants: ['linear', 'flat'],
    samples: 1000,
    steps: 200,
    seeds: 1,
    lr: 0.03
  });
  const [dense, attention] = await Promise.all(
    ['flat', 'linear'].map((name) => contest.ask(name, 0, 'nudgeAll', { day: 3, feature: 1, by: 1 }))
  );
  assert.ok(dense.deviation < 1e-5 && Math.abs(dense.mean) > 1e-3);
  assert.ok(attention.deviation > 0.1);
  const one = await contest.ask('linear', 0, 'nudge', { index: 0, day: 3, feature: 0, by: 1 });
  assert.ok(one.after.weights[3] > one.before.weights[3]);
  assert.ok(
    one.after.weights.every((weight, day) => day === 3 || weight < one.before.weights[day]),
    'all others fall'
  );
  assert.notDeepEqual(one.untrained, { before: one.before, after: one.after });
  await assert.rejects(
    contest.ask('flat', 0, 'nudge', { index: 0, day: 30, feature: 0, by: 1 }),
    /^RangeError: day must be/
  );
});

test('every tensor that is named can be had, and its gradient', async () => {
  const contest = await played({ seeds: 1, variants: ['position', 'flat_hidden', 'transformer'] });
  for (const { name } of contest.variants) {
    const tensors = await contest.ask(name, 0, 'tensors');
    assert.ok(['input', 'parameter', 'step'].every((kind) => tensors.some(({ of }) => of === kind)));
    for (const { name: tensor, shape } of tensors.filter(({ name }) => name !== 'mask')) {
      const { shape: own } = await contest.ask(name, 0, 'tensor', { name: tensor, index: 1 });
      assert.deepEqual(own, shape, `${name}: ${tensor}`);
      const gradient = await contest.ask(name, 0, 'tensor', { name: tensor, gradient: true, index: 1 });
      assert.deepEqual(gradient.shape, shape, `the gradient of ${tensor}`);
    }
  }
});

test('a text of the reader’s own is read, with the words that are unknown', async () => {
  const contest = await played({
    task: 'emoji',
    variants: ['linear', 'flat'],
    samples: 1531,
    steps: 60,
    seeds: 1,
    lr: 0.01
  });
  const said = await contest.ask('linear', 0, 'words', { text: 'grinning xylophone face' });
  assert.deepEqual(said.words, ['grinning', 'xylophone', 'face']);
  assert.deepEqual(said.unknown, ['xylophone']);
  assert.equal(said.shares.length, 9);
  for (const list of [said.weights, said.gradients, said.lost]) assert.equal(list.length, 3);
  await assert.rejects(contest.ask('flat', 0, 'words', { text: ' ' }), /^RangeError: Type a text first/);
  await assert.rejects(
    contest.ask('flat', 0, 'nudge', { index: 0, day: 0, feature: 0, by: 1 }),
    /a token cannot be nudged/
  );
});

test('births have opponents, an error in %, and a part for each month', async () => {
  const contest = await played({ task: 'births', variants: ['position'], samples: 300, steps: 10, seeds: 1, lr: 0.01 });
  assert.deepEqual(
    contest.opponents.map(({ name }) => name),
    ['last_week', 'median', 'least_squares']
  );
  const [run] = contest.variants[0].seeds;
  assert.equal(run.parts.length, 48);
  assert.ok(run.score > 5 && run.score < 40);
  assert.deepEqual(
    run.others.map(({ name }) => name),
    ['1994_1999', 'ordinary', 'after_holiday', 'holiday']
  );
});

test('points as CSV: a line a point of every run', async () => {
  const contest = await played({ seeds: 1 });
  const lines = pointsCsv(contest.variants).split('\r\n');
  assert.equal(lines[0], 'variant,seed,step,loss,held_loss,score');
  assert.equal(lines.length, 1 + 2 * 21 + 1);
  assert.match(lines[1], /^position,0,0,\d/);
});

test('scores as CSV: a line a run that is done, and the rules that are no layers', async () => {
  const contest = await played({ seeds: 1, task: 'peak_day', variants: ['linear', 'flat'] });
  const [head, linear, flat, end] = scoresCsv(contest.variants).split('\r\n');
  assert.equal(head, 'variant,parameters,macs,seed,score,decisive,days_15,days_60');
  assert.match(linear, /^linear,27,\d+,0,0\.\d+,0\.\d+,0\.\d+,0\.\d+$/);
  assert.match(flat, /^flat,482,\d+,0,0\.\d+,,,$/);
  assert.equal(end, '');
  const rule = { name: 'median', parameters: 0, score: 7.59, others: [{ name: 'holiday', score: 40.5 }] };
  assert.equal(
    scoresCsv([], [rule]),
    'variant,parameters,macs,seed,score,decisive,holiday\r\nmedian,0,,,7.59,,40.5\r\n'
  );
});

test('fewer moments are kept of large layers, always such that those of all others have too', () => {
  assert.deepEqual(
    [
      [500, 10],
      [8000, 30],
      [30_000, 30],
      [1e6, 30]
    ].map(([parameters, runs]) => momentsFor(parameters, runs)),
    [10, 10, 5, 0]
  );
  const steps = (count) => Array.from({ length: 100 }, (_, at) => at + 1).filter((step) => isMoment(step, 100, count));
  assert.deepEqual(steps(5), [20, 40, 60, 80, 100]);
  assert.ok(steps(5).every((step) => steps(10).includes(step)));
});

test('a contest is kept with its moments while they are small, then without, then not at all', async () => {
  const { contest } = begun({ seeds: 1 });
  contest.stepOnce();
  const { plan, runs } = await contest.state();
  const { entry } = packed(plan, runs, [], 5);
  assert.deepEqual([entry.name, entry.format, entry.time, stepsOf(entry)], ['', FORMAT, 5, { made: 2, all: 40 }]);
  assert.equal(noteOf(entry), '');
  const big = new Float32Array(MOST_BYTES / 8 + 1); // there are two runs
  const [first, ...others] = runs;
  const large = packed(plan, [{ ...first, moments: [big] }, ...others], [], 5);
  assert.deepEqual(large.runs[0].moments, []);
  assert.match(noteOf(large.entry), /without the moments/);
  assert.throws(() => packed(plan, [{ ...first, state: { big } }], [], 5), /^RangeError: The runs take 64/);
  const many = Array.from({ length: MOST_KEPT + 2 }, (_, time) => ({ ...entry, time }));
  assert.deepEqual(
    parted(many).forgotten.map(({ time }) => time),
    [1, 0]
  );
  assert.match(noteOf({ ...entry, format: 1 }), /another version/);
});

test('runs of the same course are kept once: the furthest stays, and what another contest needs is not forgotten', async () => {
  const { contest } = begun({ seeds: 1 });
  contest.stepOnce();
  const early = await contest.state();
  contest.stepOnce();
  const late = await contest.state();
  const { plan: wider } = checkPlan(scope, { ...small, variants: ['position', 'mean'], seeds: 2 });
  const { entry } = packed(late.plan, late.runs, [], 1);
  const [shared] = early.runs.filter(({ variant }) => variant === 'position');
  const again = packed(wider, [shared], [entry], 2);
  assert.deepEqual(again.runs, [], 'it is kept further on');
  assert.deepEqual(again.entry.runs, { 'position 0': { steps: 2, hasMoments: true } });
  assert.deepEqual(unneeded(entry, [again.entry]), [{ variant: 'flat', seed: 0 }]);
  assert.deepEqual(unneeded(entry, [{ ...again.entry, plan: { ...wider, lr: 0.5 } }]), [
    { variant: 'position', seed: 0 },
    { variant: 'flat', seed: 0 }
  ]);
  const further = packed(wider, [{ ...shared, run: { ...shared.run, step: 9 } }], [entry], 2).entry;
  const { kept } = parted([entry, further]);
  const made = kept.map((one) => stepsOf(one).made);
  assert.deepEqual(made, [9, 11], 'each is as far as its runs are, whoever made them');
});

/** Sessions that note which runs are trained. */
function noting() {
  const trained = new Set();
  const open = () => {
    const session = openHere();
    return {
      ...session,
      call: (name, job) => {
        if (name === 'train') trained.add(`${job.variant} ${job.seed}`);
        return session.call(name, job);
      }
    };
  };
  return { trained, open };
}

test('over to another plan: runs that are the same by it stay, and only what is new is made', async () => {
  const { trained, open } = noting();
  let ended;
  const listener = { ended: () => ended() };
  const { contest } = begun({}, { open, listener });
  const toEnd = () => {
    const end = new Promise((resolve) => {
      ended = () => resolve(undefined);
    });
    contest.play();
    return end;
  };
  await toEnd();
  const kept = (await contest.state()).runs;
  const next = { ...small, variants: ['mean', 'flat'], seeds: 3 };
  const { plan, variants } = checkPlan(scope, next);
  trained.clear();
  await contest.change({ plan, table: null, variants }, []);
  assert.deepEqual(
    contest.variants.map(({ seeds }) => seeds.map(({ score }) => score !== null)),
    [
      [false, false, false],
      [true, true, false]
    ]
  );
  await toEnd();
  assert.deepEqual([...trained].toSorted(), ['flat 2', 'mean 0', 'mean 1', 'mean 2']);
  const ends = (one) => one.variants.map(({ seeds }) => seeds.map(({ score, looks }) => ({ score, looks })));
  assert.deepEqual(ends(contest), ends(await played(next)), 'as if all were made anew');
  // back, with what was kept meanwhile; then another course, of which nothing stays
  trained.clear();
  const back = checkPlan(scope, small);
  await contest.change({ plan: back.plan, table: null, variants: back.variants }, kept);
  assert.ok(contest.done && trained.size === 0);
  const other = checkPlan(scope, { ...small, lr: 0.5 });
  await contest.change({ plan: other.plan, table: null, variants: other.variants }, []);
  assert.equal(contest.step, 0);
});

test('runs are read from their workers while they go on, each as far as its state is', async () => {
  const { contest } = begun({ steps: 10_000 }, { open: openSession });
  contest.play();
  let seen = 0;
  for (let look = 0; look < 10; look += 1) {
    const runs = await contest.runs(() => true);
    seen += runs.length;
    for (const { run, state, moments } of runs) {
      assert.equal(run.step, state.step);
      assert.deepEqual(
        run.moments,
        moments.map(({ step }) => step)
      );
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
  assert.ok(contest.playing && seen > 0, 'without a pause');
  contest.dispose();
});
