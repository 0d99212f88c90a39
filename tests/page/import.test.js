// The panel that fills the form from a Hugging Face config.json.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { fromHuggingFace } from '../../web/lib/index.js';
import { openPage } from './open-page.js';
import { published } from '../torch/families.js';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
/** @type {import('playwright-core').Page} */
let page;
before(async () => {
  site = await openPage({ file: 'models/' });
  page = site.page;
});
beforeEach(async () => {
  await page.goto(`${site.site.url}models/`);
  await page.waitForSelector('#import-text');
});
after(async () => {
  await site.close();
  assert.deepEqual(site.problems, { foreign: [], errors: [], violations: [] });
});
/** Of a test alone. @type {Awaited<ReturnType<typeof openPage>> | undefined} */
let own;
afterEach(() => own?.close());

/** What the page opens with: Llama-3-8B. */
const BEFORE = /^8,030,261,248 parameters/;

const llama = published['Llama-3-8B'];
const error = () => page.locator('#import-error').innerText();
const status = () => page.locator('#import [role=status]').innerText();
const parameters = () => page.locator('.answer > .hidden[role=status]').textContent();

/** Cells of the table of keys, row by row. */
const rows = () =>
  page
    .locator('.import-keys tbody tr')
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent?.trim())));

/** @param {object} file */
const paste = (file) => page.fill('#import-text', JSON.stringify(file));

test('one file after another leaves nothing of the first', async () => {
  await paste(llama);
  await paste(published['BERT base']);
  assert.equal(await page.inputValue('#field-layer'), 'encoder');
  assert.equal(await page.isChecked('input[name=dtype][value=float32]'), true);
  assert.match((await parameters()) ?? '', /^109,482,240 parameters/);
});

test('a second file keeps the lengths and the batch that were chosen', async () => {
  await paste(llama);
  await page.fill('#field-seq_len', '300');
  await page.fill('#field-batch_size', '7');
  await page.fill('input[name=context]', '4096');
  await paste(published['Gemma-3-1B']);
  for (const [field, value] of [
    ['#field-seq_len', '300'],
    ['#field-batch_size', '7'],
    ['input[name=context]', '4096']
  ])
    assert.equal(await page.inputValue(field), value, field);
});

test('one attention layer of DeepSeek-V3 says that it is one of 61, and the cache is that of all', async () => {
  await paste({
    model_type: 'deepseek_v3',
    num_hidden_layers: 61,
    max_position_embeddings: 163840,
    torch_dtype: 'bfloat16'
  });
  const text = async (/** @type {string} */ selector) => (await page.innerText(selector)).replace(/\s/g, ' ');
  assert.match(
    await text('#answer-title'),
    /DeepSeek-V3 model one attention layer of 61; the model ends at 163,840 positions$/
  );
  assert.match(await text('[data-figure=parameters]'), /^Parameters of one layer/);
  assert.match(
    await text('[data-figure=kv_cache_token]'),
    /^KV cache of a token, all 61 layers\s+68\.63 ?KiB\s+61 × 1\.13 KiB: latent 512 \+ key 64 numbers/
  );
  assert.match(await text('[data-cache-own]'), /^549 MiB for DeepSeek-V3 model: 68\.63 KiB a token in all 61 layers/);
  assert.match(await text('#cache-kinds tbody tr:last-child'), /^Latent.* 1\.13 KiB 9 MiB/);
  const link = page.url();
  await page.goto('about:blank');
  await page.goto(link);
  await page.waitForSelector('.sheet-button', { state: 'attached' });
  assert.match(await text('#answer-title'), /DeepSeek-V3 model one attention layer of 61/);
});

test('a link that says nonsense of its model is told so', async () => {
  await page.goto(`${site.site.url}models/?layer=latent_attention&hidden_size=7168&model=Mine&model_layers=many`);
  await page.waitForSelector('.answer .stale-note');
  assert.equal(
    await page.innerText('.answer .stale-note'),
    'model_layers must be a positive integer, got "many". It was left out.'
  );
});

test('a refused file dims the answer of before, and its message is in view', async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await paste({ model_type: 'mixtral', num_local_experts: 8 });
  assert.match(await error(), /^model_type "mixtral" is refused, because it has experts/);
  assert.equal(await page.locator('.answer .figures.stale').count(), 1);
  assert.equal(await page.locator('.strip-figures.stale').count(), 1);
  assert.equal(
    await page.innerText('.answer .stale-note'),
    'The file was refused. These figures are still those of Llama-3-8B.'
  );
  await page.waitForFunction(() => {
    const { top, bottom } = /** @type {Element} */ (document.querySelector('#import-error')).getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
  await page.fill('#import-text', '');
  assert.equal(await page.locator('.figures.stale, .strip-figures.stale').count(), 0);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('back undoes it', async () => {
  await paste(llama);
  await page.goBack();
  assert.equal(await page.inputValue('#field-layer'), 'linear_scorer');
});

test('every published model fills the form', async () => {
  for (const [name, file] of Object.entries(published)) {
    await paste(file);
    assert.equal(await error(), '', name);
    assert.equal(await page.inputValue('#field-layer'), fromHuggingFace(file).config.layer, name);
    assert.equal(await page.locator('.stale-note').count(), 0, name);
  }
});

test('the table lists each key of the file and each default, with the fields that it set', async () => {
  await paste({ model_type: 'llama', hidden_size: 64, attention_bias: true, rope_scaling: null, colour: 'red' });
  const table = await rows();
  assert.deepEqual(table.slice(0, 5), [
    ['model_type', '"llama"', 'used', 'layer', ''],
    ['hidden_size', '64', 'used', 'hidden_size', ''],
    ['attention_bias', 'true', 'used', 'bias, output_bias', ''],
    ['rope_scaling', 'null', 'ignored', '', ''],
    ['colour', '"red"', 'ignored', '', 'LlamaConfig has no such key']
  ]);
  assert.deepEqual(table.slice(5, 7), [
    ['pad_token_id', 'null', 'defaulted', 'padding_idx', 'null: every row of the embedding is trained'],
    ['vocab_size', '32000', 'defaulted', 'vocab_size', '']
  ]);
  assert.equal(table.length, fromHuggingFace({ model_type: 'llama', rope_scaling: null, colour: 'red' }).keys.length);
});

test('a key by which outputs are not those of the model says so, in its row and above the table', async () => {
  await paste({ ...llama, rope_scaling: { rope_type: 'llama3', factor: 8 }, attention_bias: false });
  const row = (await rows()).find(([key]) => key === 'rope_scaling');
  assert.equal(
    row?.[4],
    'Differs: rope_type "llama3" turns positions by other angles than rope_theta gives, which are those here'
  );
  assert.match(await status(), /ignored\. The model differs from this layer: see rope_scaling\.$/);
});

test('a file that Python wrote with Infinity is read, and shows it', async () => {
  await page.fill(
    '#import-text',
    '{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "limit": Infinity}'
  );
  assert.equal(await error(), '');
  assert.equal((await rows()).find(([key]) => key === 'limit')?.[1], 'Infinity');
});

test('a long value is cut', async () => {
  await paste({ ...published['Gemma-3-1B'] });
  const [, value] = (await rows()).find(([key]) => key === 'layer_types') ?? [];
  assert.equal(value, '["sliding_attention","sl…');
});

for (const [what, text, message] of /** @type {const} */ ([
  ['what is not JSON', 'model_type: llama', /^This is not JSON: /],
  ['what is no object', '[1]', /^config\.json must hold an object, got an array$/],
  ['a file without a model_type', '{}', /^The file has no model_type that says what model it is of\.$/],
  ['an unknown family', '{"model_type": "lama"}', /^model_type "lama" is not read here, did you mean llama\?$/],
  [
    'a value of the wrong type',
    '{"model_type": "llama", "hidden_size": "64"}',
    /^hidden_size must be a positive integer, got "64"$/
  ]
])) {
  test(`${what} has its message beside the box, and the form stays`, async () => {
    await page.fill('#import-text', text);
    assert.match(await error(), message);
    assert.equal(await page.getAttribute('#import-text', 'aria-invalid'), 'true');
    assert.equal(await page.getAttribute('#import-text', 'aria-describedby'), 'import-error');
    assert.match((await parameters()) ?? '', BEFORE);
    assert.equal(await status(), '');
    await page.fill('#import-text', '');
    assert.equal(await error(), '');
  });
}

test('what the core refuses has its message beside the box, and the form stays', async () => {
  await paste({ model_type: 'llama', hidden_size: 63, num_attention_heads: 4 });
  assert.notEqual(await error(), '');
  assert.match((await parameters()) ?? '', BEFORE);
  assert.equal(await status(), '');
});

test('after a good file, a bad one leaves the table and says whose it is', async () => {
  await paste(llama);
  const before = await rows();
  await paste({ model_type: 'lama' });
  assert.deepEqual(await rows(), before);
  assert.equal(
    await page.locator('.import-caption').innerText(),
    'The keys of the llama file that filled the form last'
  );
});

test('a second file that the core refuses is not reported as if it were in the form', async () => {
  await paste(llama);
  const before = await rows();
  await paste({ ...published['BERT base'], hidden_size: 770 });
  assert.match(await error(), /^num_heads must divide hidden_size \(770\), got 12$/);
  assert.equal(await page.inputValue('#field-layer'), 'decoder');
  assert.deepEqual(await rows(), before);
  assert.equal(
    await page.locator('.import-caption').innerText(),
    'The keys of the llama file that filled the form last'
  );
  assert.equal(await status(), '');
});

test('a file that the core refuses first has no table of keys', async () => {
  await paste({ ...published['BERT base'], hidden_size: 770 });
  assert.notEqual(await error(), '');
  assert.equal(await page.locator('.import-keys').count(), 0);
});

test('a file can be chosen, the same one again too', async () => {
  const file = { name: 'config.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(llama)) };
  for (let time = 0; time < 2; time += 1) {
    await page.fill('#import-text', '');
    await page.setInputFiles('#import input[type=file]', file);
    await page.waitForFunction(
      () => /** @type {HTMLTextAreaElement} */ (document.querySelector('#import-text')).value !== ''
    );
    assert.equal(await page.inputValue('#import-text'), JSON.stringify(llama));
  }
  assert.equal((await rows()).length, fromHuggingFace(llama).keys.length);
});

test('a checkpoint in place of a config is not read', async () => {
  const file = { name: 'model.safetensors', mimeType: 'application/octet-stream', buffer: Buffer.alloc(3 * 2 ** 20) };
  await page.setInputFiles('#import input[type=file]', file);
  await page.waitForSelector('#import-error:not(:empty)');
  assert.match(await error(), /^model\.safetensors has 3\sMiB; a config\.json has some kilobytes$/);
});

/** @param {string} type @param {string} text */
const drag = (type, text) =>
  page.evaluate(
    ({ type, text }) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([text], 'config.json', { type: 'application/json' }));
      document
        .querySelector('.import-box')
        ?.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    },
    { type, text }
  );

test('a file can be dropped on the box, which shows that it takes it', async () => {
  await drag('dragover', '');
  await page.waitForSelector('.import-box.over');
  await drag('drop', JSON.stringify(llama));
  await page.waitForSelector('.import-keys');
  assert.equal(await page.locator('.import-box.over').count(), 0);
  assert.equal((await rows()).length, fromHuggingFace(llama).keys.length);
});

test('with the keyboard: into the box, to the button for a file, through the table', async () => {
  await paste(llama);
  const focused = () =>
    page.evaluate(() => `${document.activeElement?.tagName} ${document.activeElement?.getAttribute('aria-label')}`);
  await page.focus('#import-text');
  await page.keyboard.press('Shift+Tab');
  assert.equal(await page.evaluate(() => /** @type {HTMLInputElement} */ (document.activeElement).type), 'file');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'DIV Keys of the file');
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  for (const width of [390, 1280]) {
    test(`axe finds nothing in the panel, ${colorScheme}, ${width} wide, and nothing is wider than the screen`, async () => {
      own = await openPage({
        file: 'models/',
        context: { colorScheme, viewport: { width, height: 844 }, reducedMotion: 'reduce' }
      });
      await own.page.evaluate(axe);
      for (const text of ['', JSON.stringify(llama), '{"model_type": "lama"}']) {
        await own.page.fill('#import-text', text);
        /** @type {any} */
        const found = await own.page.evaluate(() =>
          /** @type {any} */ (window).axe.run('#import', { resultTypes: ['violations'] })
        );
        assert.deepEqual(
          found.violations.map((/** @type {any} */ rule) => `${rule.id}: ${rule.nodes[0].failureSummary}`),
          []
        );
        assert.equal(await own.page.evaluate(() => document.documentElement.scrollWidth), width);
      }
    });
  }
}

test('without JavaScript the panel says what it is', async () => {
  own = await openPage({ file: 'models/', live: false, context: { javaScriptEnabled: false } });
  assert.match(
    await own.page.innerText('#import'),
    /^Open a config\.json\s+of a Hugging Face model[^]*needs JavaScript\.$/
  );
});

test('a model is called by its own file: by what is in it, else by its name, else by its type', async () => {
  const title = async () => (await page.innerText('#answer-title')).replace(/\s+/g, ' ').replace(/^Result: ?/, '');
  const drop = (/** @type {string} */ name, /** @type {object} */ file) =>
    page.setInputFiles('#import input[type=file]', {
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(file))
    });
  const said = async (/** @type {string} */ name, /** @type {object} */ file) => {
    await drop(name, file);
    await page.waitForSelector('#import [role=status]:has-text("was filled from")');
    return (await title()).trim();
  };
  const deepseek = { model_type: 'deepseek_v3', num_hidden_layers: 61, max_position_embeddings: 163840 };
  assert.match(await said('DeepSeek-R1.json', deepseek), /^DeepSeek-R1 /);
  assert.match(await said('Llama-3.2-1B-config.json', llama), /^Llama-3\.2-1B /);
  assert.match(await said('config (1).json', llama), /^Llama model /);
  assert.match(
    await said('other.json', { ...llama, _name_or_path: 'meta-llama/Meta-Llama-3-8B' }),
    /^Meta-Llama-3-8B /
  );
});

test('a file without anything in it is answered', async () => {
  await page.setInputFiles('#import input[type=file]', {
    name: 'config.json',
    mimeType: 'application/json',
    buffer: Buffer.from('')
  });
  await page.locator('#import-error', { hasText: 'config.json is empty; a config.json holds an object' }).waitFor();
  assert.equal(
    await page.innerText('.answer .stale-note'),
    'The file was refused. These figures are still those of Llama-3-8B.'
  );
  await page.setInputFiles('#import input[type=file]', {
    name: 'config.json',
    mimeType: 'application/json',
    buffer: Buffer.from('{}')
  });
  await page.locator('#import-error', { hasText: 'The file has no model_type' }).waitFor();
  assert.match(await page.innerText('[data-types] summary'), /^The \d+ model types that are read$/);
  assert.equal(await page.locator('[data-action=inside]').count(), 0);
  const inside = { model_type: 'llama', hidden_size: 512, num_attention_heads: 8, num_hidden_layers: 2 };
  await page.fill('#import-text', JSON.stringify({ model_type: 'llava', text_config: inside }));
  await page.click('[data-action=inside]:has-text("Read its text_config")');
  assert.equal(await error(), '');
  assert.equal(await page.inputValue('#field-hidden_size'), '512');
});

test('beside a file that is refused nothing says that the form was filled from it', async () => {
  await paste(llama);
  assert.match(await status(), /^The form was filled from this llama model/);
  await page.setInputFiles('#import input[type=file]', {
    name: 'config.json',
    mimeType: 'application/json',
    buffer: Buffer.from('\n')
  });
  await page.locator('#import-error', { hasText: 'config.json is empty' }).waitFor();
  assert.equal(await status(), '');
});
