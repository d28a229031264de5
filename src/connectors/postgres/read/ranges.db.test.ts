import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { failureOf, newDatabase, type TestDatabase } from '../../../../test/support/postgres-database.ts';
import type { Row } from '../../canonical.ts';
import type { Range, ReadRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';

let database: TestDatabase;
let session: Session;

before(async () => {
  database = await newDatabase();
  session = await database.session();
});
after(() => database.close());

const cut = async (request: ReadRequest, rows: number): Promise<readonly Range[]> => (await session.ranges?.(request, rows)) ?? [];

async function readAll(request: ReadRequest): Promise<{ rows: Row[]; last: string | undefined }> {
  const rows: Row[] = [];
  let last: string | undefined;
  for await (const batch of session.read(request)) {
    for (const row of batch.rows) rows.push(row);
    last = batch.position;
  }
  return { rows, last };
}

async function readRanges(request: ReadRequest, ranges: readonly Range[]): Promise<Row[][]> {
  const found: Row[][] = [];
  for (const range of ranges) found.push((await readAll({ ...request, range })).rows);
  return found;
}

const texts = (rows: readonly Row[]): string[] => rows.map((row) => JSON.stringify(row));
/** Every row of the table is in the ranges once, and they are in order. */
async function demandWhole(request: ReadRequest, ranges: readonly Range[]): Promise<Row[][]> {
  const found = await readRanges(request, ranges);
  const { rows } = await readAll(request);
  assert.deepEqual(texts(found.flat()), texts(rows));
  return found;
}

describe('ranges of keys', () => {
  const words = fc.string({
    unit: fc.constantFrom('a', 'A', 'b', 'ß', 'ä', 'Z', 'z', '-', ' ', '_', '1', '\\', "'", 'é', '😀'),
    maxLength: 6,
  });
  const numbers = fc.integer({ min: -500, max: 500 });
  const keys: Record<string, { columns: string; key: string[]; rows: fc.Arbitrary<(string | number)[]> }> = {
    numbers: { columns: 'a bigint primary key', key: ['a'], rows: fc.tuple(numbers) },
    decimals: { columns: 'a numeric primary key', key: ['a'], rows: fc.tuple(fc.integer({ min: -99, max: 99 }).map((n) => `${n}.50`)) },
    'texts by their bytes': { columns: 'a text collate "C" primary key', key: ['a'], rows: fc.tuple(words) },
    'texts as people sort them': { columns: 'a text collate "und-x-icu" primary key', key: ['a'], rows: fc.tuple(words) },
    'texts in the order of the database': { columns: 'a text primary key', key: ['a'], rows: fc.tuple(words) },
    'texts without case': { columns: 'a text collate "no_case" primary key', key: ['a'], rows: fc.tuple(words) },
    'padded texts': { columns: 'a char(6) primary key', key: ['a'], rows: fc.tuple(words) },
    'several fields': {
      columns: 'a text collate "und-x-icu", b int, c date, primary key (a, b, c)',
      key: ['a', 'b', 'c'],
      rows: fc.tuple(words, fc.integer({ min: 0, max: 3 }), fc.constantFrom('2026-01-01', '2026-06-30', 'infinity')),
    },
    moments: {
      columns: 'a timestamptz primary key',
      key: ['a'],
      rows: fc.tuple(numbers.map((n) => `2026-01-01 00:00:00.${Math.abs(n)}+01`)),
    },
    'floating numbers': {
      columns: 'a float8 primary key',
      key: ['a'],
      rows: fc.tuple(fc.oneof(numbers, fc.constantFrom('NaN', 'Infinity', '-Infinity'))),
    },
    identifiers: { columns: 'a uuid primary key', key: ['a'], rows: fc.tuple(fc.uuid()) },
    'a partitioned table': {
      columns: 'a bigint primary key) partition by range (a',
      key: ['a'],
      rows: fc.tuple(numbers),
    },
  };
  before(() => database.run(`create collation no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`));
  for (const [name, { columns, key, rows }] of Object.entries(keys))
    test(`hold every row once: ${name}`, async () => {
      const request: ReadRequest = { stream: 'public.t', fields: key, key, batchBytes: 512 };
      const insert = async (values: readonly (string | number)[][]): Promise<void> => {
        const lists = values.map((row) => `(${row.map((value) => `'${String(value).replaceAll("'", "''")}'`).join(', ')})`);
        if (lists.length > 0) await database.run(`insert into t values ${lists.join(', ')} on conflict do nothing`);
      };
      await fc.assert(
        fc.asyncProperty(
          fc.array(rows, { minLength: 8, maxLength: 120 }),
          fc.array(rows, { maxLength: 20 }),
          fc.integer({ min: 1, max: 40 }),
          async (first, later, size) => {
            await database.run(`drop table if exists t; create table t (${columns})`);
            if (columns.includes('partition'))
              await database.run(
                'create table t_1 partition of t for values from (minvalue) to (0); create table t_2 partition of t default',
              );
            await insert(first);
            await database.run('analyze t');
            const ranges = await cut(request, size);
            await demandWhole(request, ranges.length === 0 ? [{}] : ranges);
            await insert(later);
            await demandWhole(request, ranges.length === 0 ? [{}] : ranges);
          },
        ),
        { numRuns: 8 },
      );
    });

  test('are about equal, and so many as are worth it', async () => {
    await database.run(
      'create table many (id bigint primary key, v text); insert into many select n * 7, repeat(chr(65 + n % 20), 40) from generate_series(1, 50000) n; analyze many',
    );
    const request: ReadRequest = { stream: 'public.many', fields: ['id', 'v'], key: ['id'] };
    const ranges = await cut(request, 5000);
    assert.equal(ranges.length, 10);
    const sizes = (await demandWhole(request, ranges)).map((rows) => rows.length);
    assert.ok(Math.min(...sizes) > 1500 && Math.max(...sizes) < 12_000, String(sizes));
    assert.deepEqual(await cut(request, 25_001), [], 'one range is no cut');
    assert.equal((await cut(request, 10)).length, 256, 'however many there could be');
  });

  test('keep to the filters of the read', async () => {
    const request: ReadRequest = {
      stream: 'public.many',
      fields: ['id'],
      key: ['id'],
      filters: [{ field: 'id', op: '>', value: '300000' }],
    };
    const ranges = await cut(request, 10_000);
    assert.ok(ranges.length > 1);
    const sizes = (await demandWhole(request, ranges)).map((rows) => rows.length);
    assert.ok(
      sizes.every((size) => size > 0),
      String(sizes),
    );
  });

  test('go on behind the position of a batch', async () => {
    const request: ReadRequest = { stream: 'public.many', fields: ['id'], key: ['id'], batchBytes: 1000 };
    const ranges = await cut(request, 20_000);
    const range = ranges[1] as Range;
    const { rows } = await readAll({ ...request, range });
    const positions: string[] = [];
    for await (const { position } of session.read({ ...request, range })) positions.push(position);
    const middle = positions[Math.floor(positions.length / 2)] as string;
    const rest = (await readAll({ ...request, range, after: middle })).rows;
    assert.ok(rest.length > 0 && rest.length < rows.length);
    assert.deepEqual(rest, rows.slice(-rest.length));
    assert.deepEqual((await readAll({ ...request, range, after: positions.at(-1) as string })).rows, []);
  });

  test('cannot be told where there is no key, or no table', async () => {
    await database.run('create table keyless as select * from many; analyze keyless; create view seen as select * from many');
    assert.deepEqual(await cut({ stream: 'public.keyless', fields: ['id'], key: [] }, 10), []);
    assert.deepEqual(await cut({ stream: 'public.keyless', fields: ['id'], key: ['id'] }, 10), []);
    assert.deepEqual(await cut({ stream: 'public.seen', fields: ['id'], key: ['id'] }, 10), []);
    assert.equal((await failureOf(cut({ stream: 'public.nothing', fields: ['id'], key: ['id'] }, 10))).code, 'STREAM_MISSING');
  });

  test('of another order are refused', async () => {
    const request: ReadRequest = { stream: 'public.many', fields: ['id', 'v'], key: ['id'] };
    const range = { upTo: JSON.stringify({ v: 1, key: ['v'], last: ['x'] }) };
    assert.equal((await failureOf(readAll({ ...request, range }))).code, 'POSITION_INVALID');
  });
});

describe('ranges of a first incremental read', () => {
  for (const index of ['with', 'without'] as const)
    test(`hold what was there at one moment, and leave the rest to the next read: ${index} an index on the cursor`, async () => {
      const table = `changes_${index}`;
      await database.run(`create table ${table} (id int primary key, changed timestamptz, v text);
        insert into ${table} select n, '2026-01-01'::timestamptz + n * interval '1 second', 'old' from generate_series(1, 150000) n;
        insert into ${table} values (-1, null, 'never'); ${index === 'with' ? `create index on ${table} (changed);` : ''} analyze ${table}`);
      const request: ReadRequest = { stream: `public.${table}`, fields: ['id', 'changed', 'v'], key: ['id'], cursor: 'changed' };
      const ranges = await cut(request, 30_000);
      assert.equal(ranges.length, 5);
      const found: Row[][] = [];
      let end: string | undefined;
      for (const [i, range] of ranges.entries()) {
        // Another session changes rows of every range, and adds some, while they are read one after the other.
        await database.run(
          `update ${table} set v = 'new ${i}', changed = now() where id % 30011 = ${i + 1}; insert into ${table} values (${-10 - i}, now(), 'added')`,
        );
        const { rows, last } = await readAll({ ...request, range });
        found.push(rows);
        end = last;
      }
      const ids = found.flat().map(([id]) => id);
      assert.equal(new Set(ids).size, ids.length, 'no row twice');
      // The end of the last range is the end of the read: from there on comes all that has changed since.
      const { rows: next } = await readAll({ ...request, after: end as string });
      const target = new Map([...found.flat(), ...next].map((row) => [row[0], row]));
      const { rows: all } = await readAll({ stream: `public.${table}`, fields: ['id', 'changed', 'v'], key: ['id'] });
      assert.deepEqual(
        all.filter(([, changed]) => changed !== null).map((row) => JSON.stringify(row)),
        all.filter(([, changed]) => changed !== null).map(([id]) => JSON.stringify(target.get(id))),
      );
    });

  test('are lost with the life of the server', async () => {
    const request: ReadRequest = { stream: 'public.changes_with', fields: ['id', 'changed'], key: ['id'], cursor: 'changed' };
    const [range] = await cut(request, 30_000);
    const other = { after: String(range?.after).replace(/"server":"[^"]*"/, '"server":"1/1"') };
    assert.equal((await failureOf(readAll({ ...request, range: other }))).code, 'POSITION_LOST');
  });
});
