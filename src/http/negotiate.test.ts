import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefers } from './negotiate.ts';

test('the closest range decides; a client that does not care gets JSON', () => {
  for (const [accept, text] of [
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['text/plain', true],
    ['TEXT/PLAIN', true],
    ['text/*', true],
    ['text/html', false],
    ['text/plain, application/json', false],
    ['text/plain;q=0.3, */*;q=0.1', true],
    ['text/plain; q=0.3 , application/json ; q=0.5', false],
    ['text/*;q=0.9, text/plain;q=0, */*;q=0.5', false],
    ['text/plain;q=nonsense', false],
  ] as const) {
    assert.equal(prefers('text/plain', accept), text, String(accept));
  }
});
