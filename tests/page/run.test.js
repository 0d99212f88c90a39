import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { open } from '../../web/lib/index.js';
import { largestThatFits, runBytes } from '../../web/plain/limits.js';
import { openPage } from './open-page.js';
import { SMALL, assertClose, config, expected, weights } from './run-values.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

/** Opens the page and waits for the run that starts when the panel is seen. @param {string} search */
async function ran(search) {
  site = await openPage({ file: 'run/', search });
  await site.page.locator('#run').scrollIntoViewIfNeeded();
  await site.page.waitForSelector('[data-run="fresh"]');
  return site.page;
}

test('the run says which WebAssembly ran', async () => {
  const page = await ran(SMALL);
  assert.match(await page.locator('.build').innerText(), /WebAssembly, relaxed SIMD, \d+ threads?/);
});

test('painting a mask on the heat map re-runs with it: masked cells get 0, rows still sum to 1', async () => {
  const page = await ran(SMALL);
  const heat = page.locator('canvas.heat');
  await heat.scrollIntoViewIfNeeded();
  const box = /** @type {{ x: number, y: number, width: number, height: number }} */ (await heat.boundingBox());
  const at = (/** @type {number} */ row, /** @type {number} */ column) =>
    /** @type {const} */ ([box.x + ((column + 0.5) / 16) * box.width, box.y + ((row + 0.5) / 4) * box.height]);
  await page.mouse.move(...at(1, 9));
  await page.mouse.down();
  await page.mouse.move(...at(1, 14), { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[16 + 9] === 0
  );
  const mask = new Uint8Array(64).fill(1).fill(0, 16 + 9, 16 + 15);
  assertClose(await weights(page), /** @type {any} */ ((await expected(config, 0, mask)).weights).data);
  assert.match(await page.locator('.same pre').innerText(), /mask\[1, 9:15\] = False/);
});

test('the mask can be painted with the keyboard, padded and cleared', async () => {
  const page = await ran(SMALL);
  await page.locator('canvas.heat').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  assert.match(await page.locator('#heat-readout').innerText(), /^batch 1, position 15: 0\.\d+$/);
  await page.keyboard.press('Space');
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[31] === 0
  );
  assert.equal(await page.locator('[data-mask-axes]').innerText(), 'mask of (batch, position)');
  await page.click('[data-action="clear-mask"]');
  await page.waitForFunction(
    () => /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data[31] > 0
  );
  await page.click('[data-action="pad"]');
  await page.waitForFunction(() =>
    /** @type {any} */ (document.querySelector('attnscope-heat-map')).drawn.tensor.data.includes(0)
  );
  assert.match(
    await page.locator('.same pre').innerText(),
    /lengths = torch\.tensor\(\[16, 10, 14, 8\]\)\nmask = torch\.arange\(16\) < lengths\[:, None\]/
  );
});

test('the mask of attention says that its rows are queries, also where the batch is as long', async () => {
  const page = await ran('?layer=transformer_decoder_layer&batch_size=4&seq_len=4&kv_len=4&hidden_size=16&num_heads=2');
  assert.equal(await page.locator('[data-mask-axes]').innerText(), 'mask of (query, key)');
});

test('a long run can be cancelled, and the next one works', async () => {
  site = await openPage({
    file: 'run/',
    search: '?layer=additive_scorer&batch_size=64&seq_len=1024&hidden_size=4096&attn_dim=4096'
  });
  const { page } = site;
  const [worker] = await Promise.all([page.waitForEvent('worker'), page.click('[data-action="run"]')]);
  await Promise.all([worker.waitForEvent('close'), page.click('[data-action="cancel"]')]);
  await page.waitForSelector('attnscope-run [role=alert]:has-text("Cancelled.")');
  assert.equal(await page.locator('[data-run]').count(), 0);
  await page.fill('#field-hidden_size', '32');
  await page.fill('#field-attn_dim', '8');
  await page.click('[data-action="run"]');
  await page.waitForSelector('[data-run="fresh"]');
});

/** Which button or field has the focus. @param {import('playwright-core').Page} page */
const focused = (page) =>
  page.evaluate(() => {
    const { dataset, id, localName } = /** @type {HTMLElement} */ (document.activeElement);
    return dataset.action ?? dataset.fit ?? (id || localName);
  });

/**
 * Notes what has the focus whenever the panel changes, as a small run is over before anybody could ask.
 * @param {import('playwright-core').Page} page @returns {Promise<() => Promise<string[]>>} takes what was noted
 */
async function noteFocus(page) {
  await page.evaluate(() => {
    /** @type {string[]} */
    const noted = [];
    Object.assign(window, { noted });
    const isExplanation = (/** @type {MutationRecord} */ { target }) =>
      (target.parentElement ?? /** @type {Element} */ (target)).closest('attnscope-explanation') !== null;
    const note = (/** @type {MutationRecord[]} */ changes) => {
      if (changes.every(isExplanation)) return; // it follows a run when that is over
      const { dataset, localName } = /** @type {HTMLElement} */ (document.activeElement);
      const last = `${dataset.action ?? localName}${document.querySelector('[data-action="cancel"]') ? ', running' : ''}`;
      if (noted.at(-1) !== last) noted.push(last);
    };
    new MutationObserver(note).observe(/** @type {Node} */ (document.querySelector('attnscope-run')), {
      childList: true,
      subtree: true
    });
  });
  return () => page.evaluate(() => /** @type {any} */ (window).noted.splice(0));
}

/** The page after its first run, which would be noted as well. */
async function ranByItself() {
  site = await openPage({ file: 'run/', search: SMALL });
  await site.page.waitForSelector('[data-run="fresh"]');
  return site.page;
}

/**
 * Ends when another result is there and nothing runs.
 * @param {import('playwright-core').Page} page
 * @param {() => Promise<unknown>} act
 */
async function runsBy(page, act) {
  const panel = await page.evaluateHandle(() => /** @type {any} */ (document.querySelector('attnscope-run')));
  const before = await panel.evaluateHandle((run) => run.result);
  await act();
  await page.waitForFunction(([run, old]) => run.result !== old && !run.progress, [panel, before]);
}

test('the focus stays on the button that runs, while it runs and afterwards', async () => {
  const page = await ranByItself();
  await page.focus('[data-action="run"]');
  const noted = await noteFocus(page);
  for (let time = 0; time < 2; time += 1) {
    await runsBy(page, () => page.keyboard.press('Enter'));
    const had = await noted();
    // What the run before has left to draw may have been drawn only now, before the key was pressed.
    assert.deepEqual(had[0] === 'run' ? had.slice(1) : had, ['run, running', 'run']);
  }
});

test('a run that starts by itself leaves the focus where it is', async () => {
  const page = await ranByItself();
  await page.focus('#run input[name=seed]');
  const noted = await noteFocus(page);
  await runsBy(page, () => page.keyboard.press('7'));
  assert.deepEqual([...new Set(await noted())].sort(), ['input', 'input, running']);
});

test('a button that goes gives the focus to the one that runs: Cancel when it is pressed and when the run ends, what fits when it fits', async () => {
  site = await openPage({
    file: 'run/',
    search: '?layer=additive_scorer&batch_size=64&seq_len=1024&hidden_size=4096&attn_dim=4096'
  });
  const { page } = site;
  await page.click('[data-action="run"]');
  await page.focus('[data-action="cancel"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('attnscope-run [role=alert]:has-text("Cancelled.")');
  assert.equal(await focused(page), 'run');
  await page.goto(`${site.site.url}run/${SMALL}`);
  await page.waitForSelector('.run-controls');
  await runsBy(page, () =>
    page.evaluate(async () => {
      /** @type {HTMLElement} */ (document.querySelector('[data-action="run"]')).click();
      await /** @type {any} */ (document.querySelector('attnscope-run')).updateComplete;
      /** @type {HTMLElement} */ (document.querySelector('[data-action="cancel"]')).focus();
    })
  );
  assert.equal(await focused(page), 'run');
  await page.goto(`${site.site.url}run/?layer=linear_scorer&batch_size=30000&seq_len=512`);
  await page.focus('[data-fit="batch_size"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.needs', { state: 'detached' });
  assert.equal(await focused(page), 'run');
});

test('a double click runs once, and nothing is cancelled', async () => {
  const page = await ran(SMALL);
  await runsBy(page, () => page.dblclick('[data-action="run"]'));
  assert.equal(await page.locator('[data-run="fresh"]').count(), 1);
  assert.equal(await page.locator('attnscope-run [role=alert]').count(), 0);
});

/** Starts something and cancels it at once. @param {import('playwright-core').Page} page @param {string} action */
const cancelled = (page, action) =>
  page.evaluate(async (action) => {
    const press = (/** @type {string} */ name) =>
      /** @type {HTMLElement} */ (document.querySelector(`[data-action="${name}"]`)).click();
    press(action);
    await /** @type {any} */ (document.querySelector('attnscope-run')).updateComplete;
    press('cancel');
  }, action);

test('results that stand beside a cancelled run are marked as those of the run before', async () => {
  const page = await ran(SMALL);
  await cancelled(page, 'run');
  await page.waitForSelector('attnscope-run [role=alert]:has-text("Cancelled.")');
  assert.equal(await page.locator('[data-run="fresh"]').count(), 0);
  assert.equal(
    await page.locator('attnscope-run .stale-note').innerText(),
    'These results are of the run before: additive_scorer on [4, 16, 32].'
  );
  await page.click('[data-action="run"]');
  await page.waitForSelector('[data-run="fresh"]');
  assert.equal(await page.locator('attnscope-run .stale-note').count(), 0);
});

test('a mask whose run was cancelled is taken back, as no result has it', async () => {
  const page = await ran(SMALL);
  await cancelled(page, 'pad');
  await page.waitForSelector('attnscope-run [role=alert]:has-text("Cancelled.")');
  assert.equal(await page.isDisabled('[data-action="clear-mask"]'), true);
  assert.equal(await page.locator('attnscope-heat-map').evaluate((map) => /** @type {any} */ (map).mask), null);
  await page.click('[data-action="run"]');
  await page.waitForSelector('[data-run="fresh"]');
  assertClose(await weights(page), /** @type {any} */ ((await expected(config, 0)).weights).data);
});

test('the bound is below the time and their quotient is the distance, or there is no figure and the reason', async () => {
  const page = await ran('?layer=mean_pooling&batch_size=1&seq_len=1&hidden_size=1');
  await page.waitForSelector('[data-speed="measured"]');
  const { seconds, bound } = await page.evaluate(
    () => /** @type {any} */ (document.querySelector('attnscope-run')).timing.speed
  );
  const fact = async (/** @type {string} */ name) =>
    (await page.locator(`[data-fact="${name}"]`).innerText()).replaceAll('\u202f', ' ');
  if (bound.none) {
    assert.match(await fact('bound'), /^Lower bound\s+No figure\s+\S.*\.$/s);
    assert.match(await fact('distance'), /^Distance\s+–\s+there is no bound$/);
    return;
  }
  assert.ok(bound.seconds <= seconds, `a bound of ${bound.seconds} s for ${seconds} s`);
  assert.match(
    await fact('bound'),
    /^Lower bound\s+[\d.]+ [µm]?s\s+[\d.]+ [µm]?s that any call takes and 0 µs of arithmetic, at [\d.,]+ GFLOP\/s, measured just now$/
  );
  const distance = Number(/× ([\d.,]+)/.exec(await fact('distance'))?.[1].replaceAll(',', ''));
  assert.ok(Math.abs(distance / (seconds / bound.seconds) - 1) < 0.01, `${distance}`);
});

test('above the memory limit it says what it needs and offers the largest that fits', async () => {
  site = await openPage({ file: 'run/', search: '?layer=linear_scorer&batch_size=30000&seq_len=512' });
  const { page } = site;
  assert.equal(await page.isDisabled('[data-action="run"]'), true);
  assert.match(await page.locator('.needs').innerText(), /needs 44\.\d+\sGiB; 3\.5\sGiB is the limit/);
  await page.click('[data-fit="batch_size"]');
  assert.equal(await page.isDisabled('[data-action="run"]'), false);
  assert.equal(await page.locator('.needs').count(), 0);
});

test('more positions than a recurrent layer runs are refused by name, with the most that it runs', async () => {
  site = await openPage({
    file: 'run/',
    search: '?layer=recurrent_encoder&batch_size=1&seq_len=5000&input_size=4&hidden_size=4&tensor=stacked_hidden'
  });
  const { page } = site;
  assert.equal(await page.isDisabled('[data-action="run"]'), true);
  assert.match(
    await page.locator('.needs').innerText(),
    /^seq_len must be at most 1024 where the layer runs or is trained, got 5000: its positions follow one another, at most 1024 in all layers and directions; estimates take any length\. The figures above hold/
  );
  await page.click('[data-fit="seq_len"]');
  await page.waitForSelector('[data-run="fresh"]');
  assert.equal(await page.inputValue('#field-seq_len'), '1024');
});

test('what a run needs is counted as the core counts it', async () => {
  site = await openPage({ file: 'run/' });
  const scope = await open({ threads: 1 });
  for (const { name, fields } of scope.layers()) {
    const large = scope.estimate(/** @type {any} */ ({ layer: name, batch_size: 2 ** 22 })).config;
    assert.throws(
      () => scope.create(large),
      {
        message: `the layer must need at most ${scope.memoryLimit} bytes to run, got ${scope.runBytes(large, { need_weights: false })}`
      },
      name
    );
    const batch_size = largestThatFits(scope, large, 'batch_size');
    assert.ok(runBytes(scope, { ...large, batch_size }) <= scope.memoryLimit, name);
    assert.ok(runBytes(scope, { ...large, batch_size: batch_size + 1 }) > scope.memoryLimit, name);
    assert.ok(fields.length > 0);
  }
});

test('a lower number format shows what rounding does', async () => {
  const page = await ran(`${SMALL}&dtype=bfloat16`);
  await page.waitForSelector('[data-speed="measured"]');
  assert.match(
    await page.locator('[data-fact="rounding"]').innerText(),
    /\d %\s+relative error of the result, at most 0\.\d+ off/
  );
});

test('scores are shown as scores, and take no mask', async () => {
  const page = await ran(`${SMALL}&output=scores`);
  assert.equal(await page.locator('[data-action="pad"]').count(), 0);
  assert.equal((await weights(page)).length, 64);
});

test('every layer of the registry runs', async () => {
  const scope = await open({ threads: 1 });
  site = await openPage({ file: 'run/' });
  for (const { name, fields } of scope.layers()) {
    const small = Object.entries({
      batch_size: 2,
      seq_len: 8,
      hidden_size: 16,
      num_heads: 2,
      num_kv_heads: 2,
      head_dim: 8,
      kv_len: 8,
      attn_dim: 4,
      intermediate_size: 8,
      num_layers: 2,
      vocab_size: 32
    })
      .filter(([field]) => fields.some((known) => known.name === field))
      .map(([field, value]) => `${field}=${value}`)
      .join('&');
    await site.page.goto(`${site.site.url}run/?layer=${name}&${small}`);
    await site.page.waitForSelector('.run-controls');
    await site.page.click('[data-action="run"]');
    await site.page.waitForSelector('[data-run="fresh"]');
    assert.match(await site.page.locator('[data-values]').innerText(), /^-?\d+\.\d{6}/, name);
  }
});

test('a wrong seed says so beside it, and the last valid one stays', async () => {
  const page = await ran(`${SMALL}&seed=5`);
  await page.fill('input[name=seed]', '1.5');
  assert.equal(
    await page.locator('#seed-error').innerText(),
    'seed must be an integer from 0 to 9007199254740991, got 1.5'
  );
  assert.equal(await page.locator('.stale-note').count(), 0);
  assert.match(await page.locator('.same pre').innerText(), /torch\.manual_seed\(5\)/);
});
