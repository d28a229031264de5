import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OutsideError } from '../../../outside/errors.ts';
import { parseStreamName, quoteName, quoteText, streamName } from './names.ts';

const part = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom('a', 'Ü', '.', '"', ' ', "'", '\\', '😀', ';') });

test('a stream is called by a name that leads back to it', () => {
  fc.assert(
    fc.property(part, part, (schema, name) => {
      assert.deepEqual(parseStreamName(streamName({ schema, name }), 'other'), { schema, name });
    }),
  );
  assert.equal(streamName({ schema: 'public', name: 'Orders 2026' }), 'public.Orders 2026');
  assert.equal(streamName({ schema: 'a.b', name: 'x"y' }), '"a.b"."x""y"');
  assert.deepEqual(parseStreamName('orders', 'sales'), { schema: 'sales', name: 'orders' });
});

test('what is no name of a stream is refused', () => {
  for (const name of ['', '.', 'a.', '.a', 'a.b.c', 'a."b', '"a', 'a"b', '""', 'a.""', '"a"b'])
    assert.throws(
      () => parseStreamName(name, 'public'),
      (error) => error instanceof OutsideError && error.code === 'STREAM_MISSING',
      name,
    );
});

/** Reads a quoted text or name as PostgreSQL does, and demands that it ends where it should. */
function unquote(quoted: string, quote: string): string {
  const isEscaped = quoted.startsWith(' E');
  let at = quoted.indexOf(quote) + 1;
  let text = '';
  for (;;) {
    const character = quoted[at] as string;
    if (character === quote && quoted[at + 1] !== quote) break;
    if (character === quote || (isEscaped && character === '\\')) at++;
    text += quoted[at];
    at++;
  }
  assert.equal(at, quoted.length - 1, 'it ends at its last quote');
  return text;
}

test('no text or name gets out of its quotes', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("'", '"', '\\', 'E', ';', '-', '\n', 'ü', '$', 'x') }), (text) => {
      assert.equal(unquote(quoteText(text), "'"), text);
      if (text !== '') assert.equal(unquote(quoteName(text), '"'), text);
    }),
  );
  for (const bad of ['a\0', '\ud800']) assert.throws(() => quoteText(bad), OutsideError);
  assert.throws(() => quoteName(''), OutsideError);
});
