// Links of the guide that run something in the lab "Attention or dense" lead to a plan that the lab takes as it is.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { render } from '@lit-labs/ssr';
import { collectResult } from '@lit-labs/ssr/lib/render-result.js';
import { guideView } from '../../web/pages/guide.js';
import { checkPlan, readAddress } from '../../web/plain/attention-or-dense/settings.js';
import { loadData } from '../../web/plain/attention-or-dense/tasks.js';
import { scope } from './support.js';

const page = await collectResult(render(guideView(scope)));
const links = [...page.matchAll(/labs\/attention-or-dense\/(\?[^"#]*)#run/g)].map(([, search]) =>
  search.replaceAll('&amp;', '&')
);

test('the guide has a run for every claim', () => {
  assert.ok(links.length >= 10, String(links.length));
});

for (const search of links) {
  test(`the lab runs ${decodeURIComponent(search)}`, async () => {
    const { values, errors, strangers } = readAddress(search);
    assert.deepEqual({ errors, strangers }, { errors: {}, strangers: [] });
    await loadData(values.task);
    const checked = checkPlan(scope, values);
    assert.deepEqual(checked.errors, {});
    assert.notEqual(checked.plan, null);
  });
}
