// A text is continued as steps one by one continue it, beside the module and in a worker.

import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { openInWorker } from '../../web/lib/index.js';
import { decoder, grouped } from './decoding.js';
import { layers, nameOf, scope, smallConfigs } from './support.js';

const config = { ...decoder, batch_size: 1 };
const VOCABULARY = config.vocab_size;
const prompt = [3, 1, 4, 1];

const remote = await openInWorker({ build: 'simd', threads: 1 });
after(() => remote.dispose());

const best = (logits) => logits.indexOf(Math.max(...logits));

/** What decoding is: steps by hand. */
function byHand(model, count, { choose = best, tokens = prompt } = {}) {
  const made = [];
  for (let ids = tokens; made.length < count; ids = [made.at(-1).token]) {
    const { output } = model.step(
      { tokens: { data: Int32Array.from(ids), shape: [1, ids.length] } },
      { need_weights: false }
    );
    made.push({ token: choose(output.data.slice(-VOCABULARY)), output });
  }
  model.clearCache();
  return made;
}

const all = async (steps) => {
  const made = [];
  for await (const step of steps) made.push(step);
  return made;
};

/** A test with a model beside the module, and with one in a worker. */
function testBoth(claim, use) {
  for (const [where, on] of [
    ['beside it', scope],
    ['in a worker', remote]
  ]) {
    test(`${claim}, ${where}`, async () => {
      const [model, other] = [await on.create(config, { seed: 5 }), scope.create(config, { seed: 5 })];
      try {
        await use(model, other);
      } finally {
        await model.dispose();
        other.dispose();
      }
    });
  }
}

/** The error with which decoding ends. */
async function errorOf(call) {
  try {
    await all(call());
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}

testBoth('decoding takes the most likely token, step by step', async (model, other) => {
  const expected = byHand(other, 8);
  assert.ok(new Set(expected.map(({ token }) => token)).size > 1, 'not the same token for ever');
  assert.deepEqual(await all(model.decode(prompt, { max_new_tokens: 8 })), expected);
  assert.equal(await model.pastLength, prompt.length + 7, 'the last token was not stepped over');
  for (const same of [Int32Array.from(prompt), { data: Int32Array.from(prompt), shape: [1, 4] }]) {
    assert.deepEqual(
      await all(model.decode(same, { max_new_tokens: 8 })),
      expected,
      'each time from the first position'
    );
  }
});

testBoth('the tokens may be chosen otherwise', async (model, other) => {
  const worst = (logits) => logits.indexOf(Math.min(...logits));
  assert.deepEqual(
    await all(model.decode(prompt, { max_new_tokens: 5, choose: worst })),
    byHand(other, 5, { choose: worst })
  );
  const mine = (logits) => {
    const id = worst(logits);
    logits.fill(0);
    return id;
  };
  assert.deepEqual(
    await all(model.decode(prompt, { max_new_tokens: 5, choose: mine })),
    byHand(other, 5, { choose: worst }),
    "the scores are the chooser's own"
  );
});

test('in a worker the choice may take its time', async () => {
  const model = await remote.create(config, { seed: 5 });
  const other = scope.create(config, { seed: 5 });
  const slowly = async (logits) => {
    await new Promise(setImmediate);
    return best(logits);
  };
  assert.deepEqual(await all(model.decode(prompt, { max_new_tokens: 4, choose: slowly })), byHand(other, 4));
  await model.dispose();
  other.dispose();
});

testBoth('an end token ends the text, and is the last one', async (model, other) => {
  const expected = byHand(other, 8);
  const end = expected.findIndex(({ token }, i) => i > 0 && token !== expected[0].token);
  const cut = expected.slice(0, end + 1);
  assert.deepEqual(await all(model.decode(prompt, { max_new_tokens: 8, eos_token_id: cut.at(-1).token })), cut);
  assert.deepEqual(await all(model.decode(prompt, { eos_token_id: [VOCABULARY + 1, cut.at(-1).token] })), cut);
});

testBoth('the loop may be left early, and the model goes on', async (model, other) => {
  const expected = byHand(other, 5);
  const seen = [];
  for await (const { token } of model.decode(prompt)) {
    seen.push(token);
    if (seen.length === 3) break;
  }
  assert.deepEqual(
    seen,
    expected.slice(0, 3).map(({ token }) => token)
  );
  assert.deepEqual(await all(model.decode(prompt, { max_new_tokens: 5 })), expected);
});

testBoth('a text is continued after what the cache holds, if asked', async (model, other) => {
  const expected = byHand(other, 6);
  const first = await all(model.decode(prompt, { max_new_tokens: 3 }));
  const rest = await all(model.decode([first.at(-1).token], { max_new_tokens: 3, keep_cache: true }));
  assert.deepEqual([...first, ...rest], expected);
});

testBoth('the weights of each step come along, if asked', async (model) => {
  const steps = await all(model.decode(prompt, { max_new_tokens: 2, need_weights: true }));
  assert.deepEqual(
    steps.map(({ weights }) => weights.shape.slice(-2)),
    [
      [4, 4],
      [1, 5]
    ]
  );
});

testBoth('a signal ends decoding, and the model goes on', async (model, other) => {
  const controller = new AbortController();
  let seen = 0;
  const decoding = async () => {
    for await (const _ of model.decode(prompt, { signal: controller.signal })) {
      if (++seen === 2) controller.abort('enough');
    }
  };
  await assert.rejects(decoding(), (reason) => reason === 'enough');
  assert.equal(seen, 2);
  await assert.rejects(
    all(
      (async function* () {
        yield* model.decode(prompt, { signal: AbortSignal.abort('early') });
      })()
    ),
    (reason) => reason === 'early'
  );
  assert.deepEqual(await all(model.decode(prompt, { max_new_tokens: 4 })), byHand(other, 4));
});

testBoth('the prompt is read when decode() is called', async (model, other) => {
  const tokens = [...prompt];
  const steps = model.decode(tokens, { max_new_tokens: 2 });
  tokens.fill(0);
  assert.deepEqual(await all(steps), byHand(other, 2));
});

testBoth('logits that hold NaN choose no token', async (model) => {
  const state = await model.stateDict();
  state['lm_head.weight'].data.fill(NaN, 0, 8);
  await model.loadStateDict(state);
  const error = await errorOf(() => model.decode(prompt));
  assert.deepEqual(
    [error.name, error.message],
    ['Error', 'the logits hold NaN, at token 0: no token is the most likely']
  );
});

for (const [args, field, message] of [
  [[], 'tokens', 'tokens must be an array of token ids, got undefined'],
  [['text'], 'tokens', 'tokens must be an array of token ids, got "text"'],
  [[Float32Array.of(1)], 'tokens', 'tokens must be an array of token ids, got an object'],
  [[{ data: [1], shape: [1, 2] }], 'tokens', 'tokens.data must have 2 elements, got 1'],
  [[[]], 'tokens', 'tokens must hold at least one token id'],
  [[[1, 17]], 'tokens', 'tokens must hold integers from 0 to 16, got 17 at index 1'],
  [[[1.5]], 'tokens', 'tokens must hold integers from 0 to 16, got 1.5 at index 0'],
  [[['1']], 'tokens', 'tokens must hold integers from 0 to 16, got "1" at index 0'],
  [[prompt, 3], 'options', 'options must be a plain object, got 3'],
  [
    [prompt, { max_tokens: 3 }],
    'max_tokens',
    'decode has no option "max_tokens"; its options are max_new_tokens, eos_token_id, choose, keep_cache, need_weights, signal'
  ],
  [
    [prompt, { max_new_token: 3 }],
    'max_new_token',
    'decode has no option "max_new_token", did you mean max_new_tokens?'
  ],
  [[prompt, { max_new_tokens: 0 }], 'max_new_tokens', 'max_new_tokens must be an integer of at least 1, got 0'],
  [[prompt, { eos_token_id: -1 }], 'eos_token_id', 'eos_token_id must be a token id or an array of them, got -1'],
  [
    [prompt, { eos_token_id: ['2'] }],
    'eos_token_id',
    'eos_token_id must be a token id or an array of them, got an array'
  ],
  [[prompt, { choose: 'greedy' }], 'choose', 'choose must be a function, got "greedy"'],
  [[prompt, { choose: () => 17 }], 'choose', 'choose must return an integer from 0 to 16, got 17'],
  [[prompt, { choose: () => undefined }], 'choose', 'choose must return an integer from 0 to 16, got undefined'],
  [[prompt, { keep_cache: 1 }], 'keep_cache', 'keep_cache must be true or false, got 1'],
  [[prompt, { signal: {} }], 'signal', 'signal must be an AbortSignal, got an object']
]) {
  testBoth(`refused: ${message}`, async (model, other) => {
    const error = await errorOf(() => model.decode(...args));
    assert.ok(error instanceof RangeError, String(error));
    assert.ok(error.message.startsWith(message), error.message);
    assert.equal(error.field, field);
    assert.deepEqual(await all(model.decode(prompt, { max_new_tokens: 2 })), byHand(other, 2));
  });
}

const cannot = (layer) =>
  `layer must be one that turns token ids into logits over their vocabulary, with a KV cache, to decode, got ${layer}`;

test('every layer but the decoder is refused by its name', async () => {
  for (const layer of smallConfigs) {
    if (layer.layer === 'decoder') continue;
    for (const on of [scope, remote]) {
      const model = await on.create({ ...layer, batch_size: 1 });
      const error = await errorOf(() => model.decode([0]));
      assert.deepEqual(
        [error.name, error.message, error.field],
        ['RangeError', cannot(layer.layer), 'layer'],
        nameOf(layer)
      );
      await model.dispose();
    }
  }
  assert.ok(layers.some(({ name }) => name === 'decoder'));
  const floats = scope.create({ ...grouped, batch_size: 1 });
  assert.throws(() => floats.decode([0]), { message: cannot('grouped_query_attention') });
  floats.dispose();
});

test('a batch of several sequences is refused, with what runs one', async () => {
  for (const on of [scope, remote]) {
    const model = await on.create(decoder);
    const error = await errorOf(() => model.decode(prompt));
    assert.deepEqual(
      [error.message, error.field],
      ['batch_size must be 1 to decode, got 2: step() runs several sequences', 'batch_size']
    );
    await model.dispose();
  }
});

test('a config for a later position decodes from the first one all the same', async () => {
  const model = scope.create({ ...config, past_len: 3 }, { seed: 5 });
  const other = scope.create(config, { seed: 5 });
  assert.deepEqual(await all(model.decode(prompt, { max_new_tokens: 3 })), byHand(other, 3));
  model.dispose();
  other.dispose();
});

test('a position past the last one that was learned is refused as step() refuses it', async () => {
  const model = await remote.create({ ...config, seq_len: 4, position: 'learned', max_positions: 6 });
  const seen = [];
  await assert.rejects(
    (async () => {
      for await (const { token } of model.decode(prompt)) seen.push(token);
    })(),
    { name: 'RangeError', message: /max_positions/ }
  );
  assert.equal(seen.length, 3);
  await model.dispose();
});
