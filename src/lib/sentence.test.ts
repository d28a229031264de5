import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { invalidParams } from './errors.ts';
import { sentence, sentences } from './sentence.ts';

describe('sentences', () => {
  test('end once, also when they had an end', () => {
    for (const [text, ended] of [
      ['23 tables and views', '23 tables and views.'],
      ['23 tables and views.', '23 tables and views.'],
      ['Did you mean "id"?', 'Did you mean "id"?'],
      ['It has "a", "b" …', 'It has "a", "b" …'],
      ['the server says "no."', 'the server says "no.".'],
      ['it ends with a space. ', 'it ends with a space.'],
    ] as const)
      assert.equal(sentence(text), ended);
    assert.equal(sentences(['It works.', null, '3 tables cannot be read', '']), 'It works. 3 tables cannot be read.');
  });

  test('are never ended twice, however often they are joined', () => {
    const text = fc.string({ minLength: 1 }).map((words) => `${words.replace(/[.?!…]/g, '')}x`);
    const part = fc.tuple(text, fc.constantFrom('', '.', '?', '!')).map(([words, end]) => words + end);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), (parts) => {
        const joined = sentences([sentences(parts), sentences(parts)]);
        assert.doesNotMatch(joined, /[.?!]\s*\./);
        assert.match(joined, /[.?!]$/);
      }),
    );
  });

  test('what is wrong with a request is one of them, also when the reason ends by itself', () => {
    const one = { field: 'key', reason: 'names "ib". Did you mean "id"?' };
    const other = { field: 'name', reason: 'is mandatory.' };
    assert.equal(invalidParams([one]).message, 'Invalid request: key names "ib". Did you mean "id"?');
    assert.equal(invalidParams([other]).message, 'Invalid request: name is mandatory.');
    assert.equal(invalidParams([other, one]).message, 'Invalid request: name is mandatory (and 1 more).');
    assert.equal(invalidParams([one, other]).message, 'Invalid request: key names "ib". Did you mean "id"? (and 1 more).');
  });
});
