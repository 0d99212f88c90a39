// Texts become words or characters: in any script, and as their plain twins of Unicode.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spacelessText, splitters, unknownText } from '../../web/plain/tables/words.js';

for (const [text, words] of /** @type {[string, string[]][]} */ ([
  ["It's Été, 3.5!", ["it's", 'été', ',', '3', '.', '5', '!']],
  ['Ｆｕｌｌ　ｗｉｄｔｈ １２３', ['full', 'width', '123']],
  ['ﬁne ①', ['fine', '1']],
  ['cafe\u0301', ['café']],
  ['今天天气很好，我们去公园。', ['今天', '天气', '很好', ',', '我们', '去', '公园', '。']],
  ['Python入門', ['python', '入門']],
  ['ｶﾀｶﾅ', ['カタカナ']],
  ['สวัสดีครับ', ['สวัสดี', 'ครับ']],
  ['한국어는 띄어쓰기가 있다', ['한국어는', '띄어쓰기가', '있다']],
  ['Привет, мир', ['привет', ',', 'мир']]
])) {
  test(`${text}: its words`, () => assert.deepEqual(splitters.words(text), words));
}

test('characters are those of the plain text, with one space for several', () => {
  assert.deepEqual(splitters.characters(' Ａb \n  ﬁ今天 '), ['a', 'b', ' ', 'f', 'i', '今', '天']);
});

test('a text without spaces is split the same again, and the page says how', () => {
  assert.deepEqual(splitters.words('今天天气很好'), splitters.words('今天天气很好'));
  assert.match(spacelessText(['plain', '今天']), /^Words of Chinese, .* are found by this browser \(Intl\.Segmenter\)/);
  assert.equal(spacelessText(['plain', 'Привет', '한국어']), '');
});

test('without Intl.Segmenter a text without spaces is split into characters, which is said', async () => {
  const { Segmenter } = Intl;
  Reflect.deleteProperty(Intl, 'Segmenter');
  try {
    const other = await import(`../../web/plain/tables/words.js?without-segmenter=${Date.now()}`);
    assert.deepEqual(other.splitters.words('今天好, สวัสดี ok'), ['今', '天', '好', ',', 'ส', 'วั', 'ส', 'ดี', 'ok']);
    assert.match(other.spacelessText(['今天']), /is split into characters, as this browser finds no words in it/);
  } finally {
    Object.assign(Intl, { Segmenter });
  }
});

test('more than half of the tokens unknown is said with the share', () => {
  assert.equal(unknownText(0.5, 'words'), '');
  assert.equal(
    unknownText(0.631, 'words'),
    '63\u202f% of the held-out words are [unk]: the training texts have them too seldom, and the layer reads them all alike.'
  );
});
