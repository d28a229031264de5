import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultLines } from './files.ts';
import { madeText, planText } from './shown.ts';

test('what others have named writes nothing but letters to the terminal', () => {
  const evil = 'e\u001b[31mvil\u0007\u009b2J';
  const change = { section: 'syncs' as const, name: evil, action: 'create' as const, effects: [evil] };
  const texts = [
    planText({ changes: [{ ...change, fields: [{ field: evil, before: null, after: evil }] }], warnings: [evil] }),
    madeText({ section: 'keys', name: evil, secret: null, url: null, key: 'slk_x' }),
    faultLines([{ file: 'a.yaml', line: 1, column: 1, field: `keys.${evil}`, reason: `is not ${evil}` }]),
  ];
  for (const text of texts) {
    assert.match(text, /vil/);
    assert.doesNotMatch(text, /[^\P{Cc}\n]/u);
  }
});
