import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { onBothEngines, openTestDatabase } from '../../test/support/databases.ts';
import { bulk, list } from './bulk.ts';
import type { Database } from './database.ts';
import { sql } from './sql.ts';

const COLUMNS = { id: 'text', number: 'bigint', name: 'text', money: 'numeric', document: 'json' } as const;

interface Row {
  id: string;
  number: number;
  name: string | null;
  money: string | null;
  document: string | null;
}

// Texts that an encoding of rows could trip over: quotes, separators, braces, things that look like a number, null or a bool.
const AWKWARD = [
  '',
  ' ',
  "'",
  '"',
  '\\',
  '\\"',
  ',',
  '{',
  '}',
  '{}',
  '[]',
  '[null]',
  'null',
  'NULL',
  'true',
  '007',
  '1e3',
  '-0',
  '\n',
  '\t',
  '\r\n',
  '?',
  '$1',
  ';--',
  '💶',
  'ß',
  'é',
  '\u2028',
  '\u0001',
  '\ufeff',
  '~',
  '%',
  'a'.repeat(300),
];

onBothEngines('bulk', (engine) => {
  let db: Database;
  before(async () => {
    db = await openTestDatabase(engine);
  });
  after(() => db.close());

  /** The rows as they come out again. */
  async function roundTrip(rows: readonly Row[]): Promise<Row[]> {
    const values = rows.map((row) => [row.id, row.number, row.name, row.money, row.document]);
    const back = await db.read.all<Row>(
      sql`select id, number, name, money, document from ${bulk(COLUMNS, values)} as input order by number`,
    );
    return back.map((row) => ({ ...row }));
  }

  function someRows(count: number): Row[] {
    const text = (n: number): string => AWKWARD[n % AWKWARD.length] as string;
    return Array.from({ length: count }, (_, n) => ({
      id: `${n}${text(n)}`,
      number: n % 7 === 0 ? 0 - n : n * 1_000_003,
      name: n % 3 === 0 ? null : text(n + 1),
      money: n % 4 === 0 ? null : `${n}.0${(n % 9) + 1}`,
      document: n % 5 === 0 ? null : JSON.stringify({ [text(n + 2)]: [n, text(n + 3), null] }),
    })).sort((a, b) => a.number - b.number);
  }

  // Around the powers of two, a thousand, and more than fit into bound values.
  for (const count of [0, 1, 2, 3, 4, 5, 1_000, 7_000]) {
    test(`${count} rows come out as they went in`, async () => {
      const rows = someRows(count);
      assert.deepEqual(await roundTrip(rows), rows);
    });
  }

  test('any texts come out as they went in', async () => {
    const text = fc.oneof(
      fc.constantFrom(...AWKWARD),
      fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', '')),
    );
    const row = fc.record({
      id: text,
      name: fc.option(text),
      money: fc.constant(null),
      document: fc.option(fc.json()),
    });
    // When a property fails, fast-check tells the seed: the number its random choices come from.
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 20 }), async (content) => {
        const rows = content.map((fields, number) => ({ ...fields, number }));
        assert.deepEqual(await roundTrip(rows), rows);
      }),
      { numRuns: 100 },
    );
  });

  test('a list finds exactly the texts that are in it', async () => {
    const texts = AWKWARD.filter((_, index) => index % 2 === 0);
    const values = AWKWARD.map((text, index) => [text, index]);
    const found = await db.read.all<{ id: string }>(sql`
      select id from ${bulk({ id: 'text', number: 'bigint' }, values)} as input where id in ${list(texts)} order by number`);
    assert.deepEqual(
      found.map((row) => row.id),
      texts,
    );
    assert.deepEqual(await db.read.all(sql`select 1 as n where 'a' in ${list([])}`), []);
  });
});
