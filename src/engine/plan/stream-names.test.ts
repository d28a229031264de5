import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findManifest } from '../../connectors/registry.ts';
import { defaultTarget, type EndNaming, endNaming, fullName } from './stream-names.ts';

/** The names of a system, configured with this schema where one is given. */
function at(type: string, schema?: string): EndNaming {
  const { naming } = findManifest(type) ?? assert.fail();
  return endNaming(naming, { schemas: schema === undefined ? [] : [schema] });
}

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
      assert.equal(defaultTarget(source, at(from), at(to, schema)), expected);
    });
  }
});

test('a table without a schema is in the first one', () => {
  assert.equal(fullName('customers', at('postgres')), 'public.customers');
  assert.equal(fullName('customers', at('postgres', 'raw')), 'raw.customers');
  assert.equal(fullName('"a.b"', at('postgres')), 'public."a.b"');
  assert.equal(fullName('"sales"."x"', at('postgres')), 'sales.x');
  assert.equal(fullName('a.b.c', at('postgres')), 'a.b.c', 'what is no name stays as it is');
  assert.equal(fullName('customers', at('sqlite')), 'customers');
});
