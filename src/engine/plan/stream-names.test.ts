import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultTarget, fullName } from './stream-names.ts';

describe('a stream is called at the target as at the source, as far as the target can:', () => {
  const cases: [string, string, string, string | undefined, string][] = [
    ['public.customers', 'postgres', 'postgres', undefined, 'public.customers'],
    ['sales.customers', 'postgres', 'postgres', 'other', 'sales.customers'],
    ['public.customers', 'postgres', 'sqlite', undefined, 'customers'],
    ['public."a.b ""c"""', 'postgres', 'mysql', undefined, 'a.b "c"'],
    ['public."a/b"', 'postgres', 'files', undefined, 'a_b'],
    ['customers', 'mysql', 'postgres', undefined, 'public.customers'],
    ['customers', 'sqlite', 'postgres', 'raw', 'raw.customers'],
    ['2026.orders', 'files', 'postgres', undefined, 'public."2026.orders"'],
    ['.hidden/file', 'files', 'files', undefined, 'hidden_file'],
    ['orders', 'hub', 'http', undefined, 'orders'],
  ];
  for (const [source, from, to, schema, expected] of cases) {
    test(`${source} of ${from} is ${expected} in ${to}`, () => {
      assert.equal(defaultTarget(source, { type: from }, { type: to, schema }), expected);
    });
  }
});

test('a table without a schema is in the first one', () => {
  assert.equal(fullName('customers', { type: 'postgres' }), 'public.customers');
  assert.equal(fullName('customers', { type: 'postgres', schema: 'raw' }), 'raw.customers');
  assert.equal(fullName('"a.b"', { type: 'postgres' }), 'public."a.b"');
  assert.equal(fullName('"sales"."x"', { type: 'postgres' }), 'sales.x');
  assert.equal(fullName('a.b.c', { type: 'postgres' }), 'a.b.c', 'what is no name stays as it is');
  assert.equal(fullName('customers', { type: 'sqlite' }), 'customers');
});
