import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { formatBytes } from '../../web/plain/format.js';
import { macFormula, parameterFormula } from '../../web/plain/formulas.js';
import { configOf } from '../../web/plain/fields.js';
import { open } from '../../web/lib/index.js';
import { figure, openPage } from './open-page.js';
import { valuesIn } from '../../web/plain/search.js';

/** @type {Awaited<ReturnType<typeof openPage>> | null} */
let site = null;
afterEach(() => site?.close());

const DECODER =
  '?layer=decoder&vocab_size=100&max_positions=64&hidden_size=16&num_layers=12&num_heads=4&intermediate_size=64';
const SMALL = `${DECODER}&batch_size=2&seq_len=8`;

/** @param {string} search */
async function opened(search) {
  site = await openPage({ search });
  return site.page;
}

/** @param {import('playwright-core').Page} page @param {string} kind */
async function copied(page, kind) {
  await page.click(`[data-export="${kind}"]`);
  await page.waitForSelector('.exports .said:has-text("Copied")');
  return page.evaluate(() => navigator.clipboard.readText());
}

test('a repeated step shows how often, what all repetitions cost, and what one does', async () => {
  const page = await opened(SMALL);
  const rows = page.locator('.steps tbody tr');
  const project = rows.filter({ hasText: 'self_attn.q_proj' }).first();
  assert.match(await project.locator('th').innerText(), /^self_attn\.q_proj × 12\s/);
  assert.deepEqual((await project.locator('td').nth(1).innerText()).split('\n'), ['3,072', '12 × 256']);
  assert.deepEqual((await project.locator('td').nth(2).innerText()).split('\n'), ['49,152', '12 × 4,096']);
  assert.match(await rows.last().locator('th').innerText(), /^lm_head\s/);
  assert.equal(await rows.last().locator('.num small').count(), 0);
  assert.equal(await page.locator('.steps tfoot td').first().innerText(), '52,752');
  assert.match(
    await page.locator('.timeline thead th').filter({ hasText: 'self_attn.q_proj' }).innerText(),
    /^self_attn\.q_proj\s+× 12$/
  );
  assert.match(await page.locator('#timeline-title').innerText(), /repeated steps stand once/);
});

test('the formulas count every repetition', async () => {
  const page = await opened(SMALL);
  assert.equal(
    await page.locator('[data-figure="parameters"] .figure-formula').innerText(),
    '100 × 16 + 25 × 16 + 48 × (16 × 16) + 24 × (16 × 64) + 12 × (64 × 16) + 16 × 100 = 52,752'
  );
  const macs = await page.locator('[data-figure="macs"] .figure-formula').innerText();
  assert.match(
    macs,
    /^project 36 × \(2 × 8 × 16 × 16\) \+ score 12 × \(2 × 4 × 8 × 8 × 4\) \+ combine 12 × \(.* \+ classify 2 × 8 × 100 × 16 = [\d,]+$/
  );
  const [terms, total] = macs.split(' = ').map((side) =>
    side
      .replace(/[a-z_]+ /g, '')
      .replaceAll(',', '')
      .replaceAll('×', '*')
  );
  assert.match(terms, /^[\d *+()]+$/);
  assert.equal(Function(`return ${terms}`)(), Number(total));
});

test('what a step saves is what all its repetitions save', async () => {
  const page = await opened(SMALL);
  const scope = await open({ threads: 1 });
  const { steps, memory } = scope.estimate(
    /** @type {any} */ (
      configOf(/** @type {any} */ (scope.layers().find(({ name }) => name === 'decoder')), valuesIn(SMALL))
    )
  );
  assert.equal(
    steps.reduce((sum, { saved_bytes }) => sum + saved_bytes, 0),
    memory.saved_for_backward
  );
  const shown = await page.locator('.steps tbody td:last-child').allInnerTexts();
  assert.deepEqual(
    shown.map((text) => text.trim()),
    steps.map(({ saved_bytes }) => (saved_bytes ? formatBytes(saved_bytes) : '–'))
  );
});

test('the KV cache stands among the figures, for a token, a sequence and the batch', async () => {
  const page = await opened(`${DECODER}&batch_size=3&seq_len=8&past_len=56&window=16`);
  assert.match(await figure(page, 'kv_cache_token'), /^1\.5\s?KiB$/);
  assert.match(await figure(page, 'kv_cache_sequence'), /^24\s?KiB$/);
  assert.match(await figure(page, 'kv_cache'), /^72\s?KiB$/);
  assert.equal(
    await page.locator('[data-figure="kv_cache_sequence"] .figure-formula').innerText(),
    '64 positions; windowed layers keep the last 16'
  );
  await page.selectOption('#field-layer', 'linear_scorer');
  assert.equal(await page.locator('[data-figure^="kv_cache"]').count(), 0);
});

test('CSV has one repetition and its number, Markdown all of them and the cache, without what is not given', async () => {
  const page = await opened(SMALL);
  const [head, ...lines] = (await copied(page, 'csv')).split(/\r?\n/);
  const first = lines.find((line) => line.startsWith('self_attn.q_proj')) ?? '';
  const cells = Object.fromEntries(head.split(',').map((name, at) => [name, first.split(',')[at]]));
  assert.deepEqual([cells.repeat, cells.parameters], ['12', '256']);
  const markdown = await copied(page, 'markdown');
  assert.match(markdown, /\| self_attn\.q_proj × 12 \| \[2, 8, 16\] \| 3,072 \| 49,152 \|/);
  assert.match(markdown, /\| KV cache, a token \| 1\.5\sKiB \|/);
  assert.doesNotMatch(markdown, /null/);
});

/** @param {number} count of steps with two parameters each, all of other shapes */
const many = (count) =>
  /** @type {any} */ ({
    parameters: 2 * count,
    macs: 9 * count,
    parts: {
      project: { parameters: 2 * count - 4, macs: 9 * count },
      combine: { parameters: 4, macs: 0 },
      normalize: { parameters: 0, macs: 0 }
    },
    steps: Array.from({ length: count }, (_, at) => ({
      name: `step_${at}`,
      shape: [1, at + 2],
      parameters: 2,
      macs: 9
    }))
  });

test('a layer of many different steps is summed by its parts', () => {
  assert.equal(macFormula(many(8)), 'project 72 = 72');
  assert.equal(
    parameterFormula({
      ...many(8),
      steps: many(8).steps.map((/** @type {any} */ step, /** @type {number} */ at) => ({ ...step, parameters: at })),
      parameters: 28
    }),
    'project 12 + combine 4 = 28'
  );
});

test('parameters that two steps share are not added up twice', () => {
  assert.equal(
    parameterFormula({ ...many(2), parameters: 2, parts: { project: { parameters: 2, macs: 18 } } }),
    'project 2 = 2'
  );
});

test('a layer without matrix products says so', () => {
  assert.equal(
    macFormula({ ...many(1), macs: 0, steps: [{ shape: [1], macs: 0, parameters: 0 }] }),
    'No matrix product: only element by element'
  );
});
