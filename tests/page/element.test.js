// <attnscope-calculator> as the package has it, in pages of somebody else.

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { open } from 'attnscope';
import { project } from '../../tools/folders.js';
import { figure, openPage } from './open-page.js';

/** @type {Awaited<ReturnType<typeof openPage>>} */
let site;
afterEach(() => site.close());

const scope = await open({ threads: 1 });
const script = '<script type="module" src="element/index.js"></script>';
/** Hears every `change` that reaches the document, from before the element is there. */
const hear = '<script>heard = []; document.addEventListener("change", (event) => heard.push(event));</script>';

/**
 * A page with elements in it.
 * @param {string} body
 * @param {Partial<Parameters<typeof openPage>[0]>} [options]
 */
async function openHost(body, options) {
  const page = `<!doctype html><html lang="en"><title>A post</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width"><h1>A post about attention</h1>${body}</html>`;
  site = await openPage({ page, file: 'host.html', folder: project, isolated: false, live: false, ...options });
  await site.page.waitForSelector('.figures');
  return site.page;
}

const one = `<attnscope-calculator></attnscope-calculator>${script}`;

/** What `change` has told. @param {import('playwright-core').Page} page @returns {Promise<number[]>} hidden sizes */
const told = (page) =>
  page.evaluate(() =>
    /** @type {any} */ (window).heard
      .filter((/** @type {any} */ event) => event.detail)
      .map((/** @type {any} */ event) => event.detail.config.hidden_size)
  );

/**
 * Something done with the first element.
 * @template [Result=void]
 * @param {import('playwright-core').Page} page @param {(element: any) => Result} action
 */
const act = (page, action) =>
  page
    .locator('attnscope-calculator')
    .first()
    .evaluate(/** @type {any} */ (action));

/** @param {import('playwright-core').Page} page */
const messages = (page) => page.locator('.host-message').allInnerTexts();

test('an attribute that changes changes the result; one that is removed gives the default', async () => {
  const page = await openHost(one);
  await act(page, (element) => element.setAttribute('hidden_size', '1024'));
  assert.equal(await figure(page, 'parameters'), '1,025');
  assert.equal(await page.inputValue('#field-hidden_size'), '1024');
  await act(page, (element) => element.setAttribute('layer', 'additive_scorer'));
  assert.equal(await figure(page, 'parameters'), '131,329');
  await act(page, (element) => element.removeAttribute('layer'));
  await act(page, (element) => element.removeAttribute('hidden_size'));
  assert.equal(await figure(page, 'parameters'), '769');
});

test('an attribute without a value turns a switch on', async () => {
  const page = await openHost(
    `<attnscope-calculator layer="multihead_attention" is_causal></attnscope-calculator>${script}`
  );
  assert.equal(await act(page, (element) => element.is_causal), true);
  await act(page, (element) => element.removeAttribute('is_causal'));
  assert.equal(await act(page, (element) => element.is_causal), false);
});

test('a property that is set changes the result at once; undefined gives the default', async () => {
  const page = await openHost(one);
  const read = await act(page, (element) => {
    element.hidden_size = 1024;
    element.seed = 7;
    return [
      element.hidden_size,
      element.estimate.parameters,
      element.config.hidden_size,
      element.seed,
      element.attn_dim
    ];
  });
  assert.deepEqual(read, [1024, 1025, 1024, 7, undefined]);
  assert.equal(await figure(page, 'parameters'), '1,025');
  await act(page, (element) => Object.assign(element, { hidden_size: undefined }));
  assert.equal(await figure(page, 'parameters'), '769');
});

test('config is the whole configuration: what it leaves out goes to its default', async () => {
  const page = await openHost(`<attnscope-calculator hidden_size="64" batch_size="2"></attnscope-calculator>${script}`);
  await act(page, (element) => Object.assign(element, { config: { layer: 'additive_scorer', hidden_size: 256 } }));
  const config = /** @type {const} */ ({ layer: 'additive_scorer', hidden_size: 256 });
  assert.deepEqual(await act(page, (element) => element.config), scope.estimate(config).config);
  assert.deepEqual(await act(page, (element) => element.estimate), scope.estimate(config));
  await act(page, (element) => Object.assign(element, { config: null }));
  assert.deepEqual(await act(page, (element) => element.estimate), scope.estimate({ layer: 'linear_scorer' }));
});

test('what is set before the element is defined, and before its module is open, is taken', async () => {
  const page = await openHost(`<attnscope-calculator batch_size="4" hidden_size="64"></attnscope-calculator>
    <script>Object.assign(document.querySelector('attnscope-calculator'), { hidden_size: 96, config: { layer: 'additive_scorer', seq_len: 8 } });</script>${script}`);
  assert.deepEqual(
    await act(page, ({ layer, batch_size, seq_len, hidden_size }) => ({ layer, batch_size, seq_len, hidden_size })),
    { layer: 'additive_scorer', batch_size: 32, seq_len: 8, hidden_size: 96 }
  );
  const made = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const element = /** @type {any} */ (document.createElement('attnscope-calculator'));
        element.config = { layer: 'dense', batch_size: 3 };
        element.seq_len = 5;
        element.setAttribute('hidden_size', '7');
        element.addEventListener('change', () => resolve(element.config));
        document.body.append(element);
      })
  );
  assert.deepEqual(made, scope.estimate({ layer: 'dense', batch_size: 3, seq_len: 5, hidden_size: 7 }).config);
});

test('what was set last wins: attribute, property or what the visitor entered', async () => {
  const page = await openHost(`<attnscope-calculator hidden_size="64"></attnscope-calculator>${script}`);
  assert.equal(await figure(page, 'parameters'), '65');
  await page.fill('#field-hidden_size', '128');
  assert.equal(await figure(page, 'parameters'), '129');
  await act(page, (element) => element.setAttribute('hidden_size', '64'));
  assert.equal(await figure(page, 'parameters'), '65');
  await act(page, (element) => Object.assign(element, { hidden_size: 256 }));
  assert.equal(await figure(page, 'parameters'), '257');
  await page.fill('#field-hidden_size', '512');
  assert.equal(await figure(page, 'parameters'), '513');
});

test('a value that does not fit is said at its field, and the last good result stays', async () => {
  const page = await openHost(one);
  await act(page, (element) => Object.assign(element, { hidden_size: -1 }));
  assert.equal(
    await page.locator('#error-hidden_size').innerText(),
    'hidden_size must be an integer from 1 to 2147483647, got -1'
  );
  assert.equal(await figure(page, 'parameters'), '769');
  assert.equal(await act(page, (element) => element.hidden_size), 768);
});

test('change comes out of the element with the estimate: once at the start, then whenever the estimate is another', async () => {
  const page = await openHost(`${hear}<attnscope-calculator hidden_size="64"></attnscope-calculator>${script}`);
  assert.deepEqual(await told(page), [64]);
  const first = await page.evaluate(() => {
    const [{ detail, bubbles, composed, target }] = /** @type {any} */ (window).heard;
    return { detail, bubbles, composed, name: target.localName };
  });
  assert.deepEqual(first, {
    detail: scope.estimate({ layer: 'linear_scorer', hidden_size: 64 }),
    bubbles: true,
    composed: true,
    name: 'attnscope-calculator'
  });
  await act(page, (element) => element.setAttribute('hidden_size', '64'));
  await act(page, (element) => element.setAttribute('hidden_size', '65'));
  await act(page, (element) => Object.assign(element, { hidden_size: 65, seed: 3 }));
  await page.fill('#field-hidden_size', '66');
  await page.fill('#field-hidden_size', '66x');
  await page.fill('#field-hidden_size', '66');
  await page.press('#field-hidden_size', 'Enter');
  assert.deepEqual(await told(page), [64, 65, 66]);
});

test('an element whose start does not fit sends change once it does', async () => {
  const page = await openHost(`${hear}<attnscope-calculator hidden_size="many"></attnscope-calculator>${script}`);
  assert.deepEqual(await told(page), []);
  await page.fill('#field-hidden_size', '66');
  assert.deepEqual(await told(page), [66]);
});

const LATE_PANELS = ['attnscope-charts', 'attnscope-code', 'attnscope-run', 'attnscope-import'];

/**
 * Once all observers were told where these panels of the first element are: observers are told in the order in which
 * they were made, and those of the element were made before.
 * @param {import('playwright-core').Page} page @param {readonly string[]} panels
 */
const seen = (page, panels) =>
  act(page, (element) => element.updateComplete).then(() =>
    page
      .locator('attnscope-calculator')
      .first()
      .evaluate(
        (element, panels) =>
          new Promise((resolve) => {
            const observer = new IntersectionObserver((entries) => {
              observer.disconnect();
              resolve(entries.length);
            });
            for (const panel of panels)
              observer.observe(/** @type {Element} */ (element.shadowRoot?.querySelector(panel)));
          }),
        panels
      )
  );

/** Counts workers that are started and files that are asked for. */
const count = `<script>
  started = 0;
  Worker = class extends Worker { constructor(...given) { super(...given); started += 1; } };
</script>`;

test('an element that is moved keeps what was entered and what was run, and opens nothing anew', async () => {
  const page = await openHost(
    `${count}${hear}<div id="here"><attnscope-calculator hidden_size="64"></attnscope-calculator></div><div id="there"></div>${script}`
  );
  await page.fill('#field-batch_size', '2');
  await page.fill('#field-hidden_size', 'x');
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-run="fresh"]');
  await page.waitForSelector('[data-speed="measured"]');
  const started = await page.evaluate('started');
  const before = await page.locator('.run-results').innerText();
  /** @type {string[]} */
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.clock.install();
  await page.evaluate(() =>
    document.querySelector('#there')?.append(document.querySelector('attnscope-calculator') ?? '')
  );
  await page.locator('#there #run').scrollIntoViewIfNeeded();
  await seen(page, ['attnscope-run']);
  await page.clock.runFor(1000); // a run that is started by itself waits for 350 ms
  assert.equal(await page.locator('attnscope-run').evaluate((panel) => /** @type {any} */ (panel).progress), null);
  assert.equal(await page.inputValue('#field-hidden_size'), 'x');
  assert.equal(await page.inputValue('#field-batch_size'), '2');
  assert.equal(await page.locator('.run-results').innerText(), before);
  assert.equal(await page.evaluate('started'), started);
  assert.deepEqual(asked, []);
  await page.fill('#field-hidden_size', '65');
  assert.deepEqual(await told(page), [64, 64, 65], 'the second is of batch_size');
});

test('a run goes on while its element is moved', async () => {
  const page = await openHost(
    `${count}<div id="here"><attnscope-calculator layer="encoder" num_layers="2" seq_len="256"></attnscope-calculator></div><div id="there"></div>${script}`
  );
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-action="run"]');
  await page.evaluate(async () => {
    const element = /** @type {HTMLElement} */ (document.querySelector('attnscope-calculator'));
    const panel = /** @type {any} */ (element.shadowRoot?.querySelector('attnscope-run'));
    panel.querySelector('[data-action="run"]').click();
    await panel.updateComplete;
    if (!panel.querySelector('[data-action="cancel"]')) throw new Error('nothing runs');
    document.querySelector('#there')?.append(element);
  });
  await page.waitForSelector('[data-run="fresh"]');
  assert.equal(await page.evaluate('started'), 1);
});

test('an element that was removed during a run, and comes back later, can run again', async () => {
  const page = await openHost(
    `<attnscope-calculator layer="encoder" num_layers="2" seq_len="256"></attnscope-calculator>${script}`
  );
  await page.locator('#run').scrollIntoViewIfNeeded();
  await page.waitForSelector('[data-action="run"]');
  await page.evaluate(async () => {
    const element = document.querySelector('attnscope-calculator');
    const panel = /** @type {any} */ (element?.shadowRoot?.querySelector('attnscope-run'));
    panel.querySelector('[data-action="run"]').click();
    await panel.updateComplete;
    if (!panel.querySelector('[data-action="cancel"]')) throw new Error('nothing runs');
    element?.remove();
    Object.assign(window, { element, panel });
  });
  await page.waitForFunction(() => /** @type {any} */ (window).panel.progress === null);
  await page.evaluate(() => document.body.append(/** @type {any} */ (window).element));
  await page.click('[data-action="run"]');
  await page.waitForSelector('[data-run="fresh"]');
});

test('an element that is moved before its module is open is one calculator', async () => {
  const page =
    await openHost(`${hear}<div id="here"><attnscope-calculator hidden_size="64"></attnscope-calculator></div><div id="there"></div>
    <script type="module">
      import './element/index.js';
      await customElements.whenDefined('attnscope-calculator');
      for (const id of ['there', 'here', 'there']) document.getElementById(id).append(document.querySelector('attnscope-calculator'));
    </script>`);
  assert.equal(await page.locator('#there .form').count(), 1);
  assert.equal(await page.locator('.form').count(), 1);
  assert.deepEqual(await told(page), [64]);
});

test("with address it follows the page's address, one entry of the history a gesture, also after it was moved", async () => {
  const page = await openHost(`<attnscope-calculator address></attnscope-calculator>${script}`, {
    search: '?layer=linear_scorer&hidden_size=64'
  });
  assert.equal(await figure(page, 'parameters'), '65');
  const edit = async (/** @type {string} */ name, /** @type {string} */ text) => {
    await page.locator(`#field-${name}`).press('ControlOrMeta+a');
    await page.keyboard.type(text, { delay: 5 });
    await page.keyboard.press('Tab');
  };
  const length = () => page.evaluate(() => history.length);
  const before = await length();
  await edit('hidden_size', '1024');
  assert.equal(await length(), before + 1);
  await page.evaluate(() => document.body.append(document.querySelector('attnscope-calculator') ?? ''));
  await edit('hidden_size', '2048');
  assert.equal(await length(), before + 2);
  assert.match(page.url(), /hidden_size=2048/);
  await page.goBack();
  assert.equal(await figure(page, 'parameters'), '1,025');
  await page.goBack();
  assert.equal(await figure(page, 'parameters'), '65');
});

test('only a page whose address holds the state offers a link to it', async () => {
  const page = await openHost(one);
  const labels = await page.locator('.exports button').allInnerTexts();
  assert.deepEqual(labels, ['Copy JSON', 'Copy CSV', 'Copy Markdown']);
  await page.click('[data-export="markdown"]');
  await page.waitForSelector('.exports .said:has-text("Copied")');
  assert.doesNotMatch(await page.evaluate(() => navigator.clipboard.readText()), /http/);
});

test('a misspelt attribute is named with what it may have meant, and the others are taken', async () => {
  const page = await openHost(
    `<attnscope-calculator hiden_size="5" batch-size="7" lyer="dense" colour="red" seq_len="9"></attnscope-calculator>${script}`
  );
  assert.deepEqual(await messages(page), [
    'attnscope-calculator has no attribute "hiden_size", did you mean hidden_size?',
    'attnscope-calculator has no attribute "batch-size", did you mean batch_size?',
    'attnscope-calculator has no attribute "lyer", did you mean layer?',
    'attnscope-calculator has no attribute "colour"; its attributes are address, layer, seed and the fields of the layers'
  ]);
  assert.deepEqual(
    await act(page, (element) => element.config),
    scope.estimate({ layer: 'linear_scorer', seq_len: 9 }).config
  );
  await act(page, (element) =>
    ['hiden_size', 'batch-size', 'lyer', 'colour'].forEach((name) => element.removeAttribute(name))
  );
  await page.waitForFunction(
    () => !document.querySelector('attnscope-calculator')?.shadowRoot?.querySelector('.host-message')
  );
  await act(page, (element) => element.setAttribute('seqlen', '3'));
  await page.waitForSelector('.host-message');
  assert.deepEqual(await messages(page), ['attnscope-calculator has no attribute "seqlen", did you mean seq_len?']);
});

test('attributes that every element has, and those of frameworks, are not misspelt', async () => {
  const global = `id="a" class="b" style="margin: 0" title="c" lang="en" dir="ltr" tabindex="-1" slot="d" part="e" exportparts="f" role="group" is="g" nonce="h"
    accesskey="i" itemprop="j" itemscope inert="" translate="no" draggable="false" contenteditable="false" enterkeyhint="done" popover="manual" onclick="" autofocus
    data-hiden_size="k" data-size="l" aria-label="m" aria-hiden="n"`;
  const foreign =
    '_ngcontent-abc="" ng-version="1" x-data="{}" v-if="o" v-cloak @click="p" :size="q" hx-get="/" xml:lang="en"';
  const page = await openHost(
    `<div><attnscope-calculator ${global} ${foreign}></attnscope-calculator></div>${script}`
      .replace('popover="manual" ', '')
      .replace('inert="" ', '')
  );
  assert.deepEqual(await messages(page), []);
});

test("a wrong key of config is said in the core's words, and the others are taken", async () => {
  const page = await openHost(one);
  await act(page, (element) =>
    Object.assign(element, { config: { layer: 'linear_scorer', hiden_size: 4, num_heads: 2, seq_len: 9 } })
  );
  await page.waitForSelector('.host-message');
  assert.deepEqual(await messages(page), [
    'linear_scorer has no field "hiden_size", did you mean hidden_size?',
    'linear_scorer has no field "num_heads"; its fields are batch_size, seq_len, hidden_size, bias, dtype, output'
  ]);
  assert.deepEqual(
    await act(page, (element) => element.config),
    scope.estimate({ layer: 'linear_scorer', seq_len: 9 }).config
  );
  assert.equal(await page.locator('.form .note').count(), 0);
  assert.equal(
    await act(page, (element) => {
      try {
        element.config = 'linear_scorer';
        return '';
      } catch (error) {
        return String(error);
      }
    }),
    'RangeError: config must be a plain object, got "linear_scorer"'
  );
});

test('no field has the name of a property that HTML gives every element', async () => {
  const page = await openHost(one);
  const names = [
    ...new Set([
      'layer',
      'seed',
      'config',
      'estimate',
      ...scope.layers().flatMap(({ fields }) => fields.map(({ name }) => name))
    ])
  ];
  assert.deepEqual(await page.evaluate((names) => names.filter((name) => name in HTMLElement.prototype), names), []);
  assert.deepEqual(
    await page.evaluate(
      (names) => names.filter((name) => !(name in (customElements.get('attnscope-calculator')?.prototype ?? {}))),
      names
    ),
    []
  );
});

test('several elements have a state each and one module', async () => {
  /** @type {string[]} */
  const asked = [];
  const page = await openHost(`<attnscope-calculator hidden_size="64"></attnscope-calculator>${script}`);
  page.on('request', (request) => asked.push(request.url()));
  await page.evaluate(() => {
    const other = document.createElement('attnscope-calculator');
    other.setAttribute('hidden_size', '128');
    document.body.append(other);
  });
  const [first, second] = await page.locator('attnscope-calculator').all();
  const parameters = (/** @type {typeof first} */ element) =>
    element.locator('[data-figure="parameters"] .figure-value').innerText();
  assert.equal(await parameters(second), '129');
  await second.locator('#field-hidden_size').fill('256');
  assert.deepEqual([await parameters(first), await parameters(second)], ['65', '257']);
  await first.locator('#field-hidden_size').fill('32');
  assert.deepEqual([await parameters(first), await parameters(second)], ['33', '257']);
  assert.deepEqual(
    asked.filter((url) => /wasm|core/.test(url)),
    []
  );
});

test('loaded twice, from two addresses, it is defined once', async () => {
  const page = await openHost(
    `${one}<script type="module" src="element/index.js?again"></script><script type="module" src="element/embedded.js?again"></script>`
  );
  await page.waitForLoadState('networkidle');
  await act(page, (element) => Object.assign(element, { hidden_size: 1024 }));
  assert.equal(await figure(page, 'parameters'), '1,025');
  assert.deepEqual(site.problems.errors, []);
});

for (const [width, height] of [
  [390, 844],
  [1280, 800],
  [1920, 1080]
]) {
  test(`at ${width} × ${height} less than 75 kB besides the core are transferred before it is scrolled`, async () => {
    /** @type {import('playwright-core').Request[]} */
    const finished = [];
    site = await openPage({
      page: '<p>',
      file: 'host.html',
      folder: project,
      isolated: false,
      live: false,
      compressed: true,
      context: { viewport: { width, height } }
    });
    const open = new Set();
    site.context.on('request', (request) => open.add(request));
    site.context.on('requestfinished', (request) => {
      open.delete(request);
      finished.push(request);
    });
    await site.page.clock.install();
    await site.page.setContent(one);
    await site.page.waitForSelector('.figures');
    await seen(site.page, LATE_PANELS);
    await site.page.clock.runFor(1000);
    await site.page.evaluate(() => fetch('host.html?last').then((answer) => answer.text())); // after all that it asks for
    while (open.size) await site.context.waitForEvent('requestfinished');
    finished.splice(
      finished.findIndex((request) => request.url().endsWith('?last')),
      1
    );
    const sizes = await Promise.all(
      finished.map(async (request) => {
        const { responseBodySize, responseHeadersSize } = await request.sizes();
        return { name: new URL(request.url()).pathname, bytes: responseBodySize + responseHeadersSize };
      })
    );
    const total = sizes.reduce((sum, { name, bytes }) => sum + (name.endsWith('.wasm') ? 0 : bytes), 0);
    const list = sizes.map(({ name, bytes }) => `${name} ${bytes}`).join('\n');
    assert.ok(
      sizes.some(({ name, bytes }) => name.endsWith('.wasm') && bytes > 100_000),
      list
    );
    assert.ok(total < 75_000, `${total} bytes\n${list}`);
    assert.doesNotMatch(list, /worker|highlight|run-panel|code-panel|import-panel/);
  });
}

/**
 * What moves when panels come late: how far the panel behind each is moved by its filling, with a browser that keeps
 * nothing in place.
 * @param {number} width of the window @param {string} attributes of the element
 */
async function movedByFilling(width, attributes) {
  const late = '<style>* { overflow-anchor: none; }</style>';
  const page = await openHost(`${late}<attnscope-calculator ${attributes}></attnscope-calculator>${script}`, {
    context: { viewport: { width, height: 800 } }
  });
  /** @type {Record<string, number>} */
  const moved = {};
  for (const [panel, next, filled] of [
    ['compare', 'pytorch', '.growth svg'],
    ['pytorch', 'run', '.hljs-keyword'],
    ['run', 'import', '.run-controls'],
    ['import', 'models', '#import-text']
  ]) {
    const top = () => page.locator(`#${next}`).evaluate((section) => section.getBoundingClientRect().top + scrollY);
    const before = await top();
    await page.locator(`#${panel}`).scrollIntoViewIfNeeded();
    await page.waitForSelector(filled);
    await seen(page, LATE_PANELS); // and laid out
    moved[panel] = Math.abs((await top()) - before);
  }
  return moved;
}

for (const [width, attributes] of /** @type {[number, string][]} */ ([
  [390, 'batch_size="512" seq_len="2048"'],
  [1024, 'batch_size="512" seq_len="2048"'],
  [1280, 'batch_size="512" seq_len="2048"'],
  [1920, 'batch_size="512" seq_len="2048"'],
  [1280, 'batch_size="32"']
])) {
  test(`at ${width} the panels fill when they are scrolled to, and what stands below stays in its place: ${attributes}`, async () => {
    const moved = await movedByFilling(width, attributes);
    assert.ok(
      Object.values(moved).every((pixels) => pixels <= 8),
      JSON.stringify(moved)
    );
  });
}

test('Tab reaches what is in a panel that is not there yet', async () => {
  const page = await openHost(one);
  assert.equal(await page.locator('.run-controls').count(), 0);
  await page.keyboard.press('Tab');
  await page.waitForSelector('.run-controls', { state: 'attached' });
  for (const panel of ['compare', 'pytorch', 'run', 'import']) {
    for (let i = 0; i < 60 && !(await page.locator(`#${panel}:focus-within`).count()); i += 1)
      await page.keyboard.press('Tab');
    assert.equal(await page.locator(`#${panel}:focus-within`).count(), 1, panel);
  }
});
