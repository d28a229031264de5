import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { type CanonicalType, isCanonical } from '../../canonical.ts';
import { decodeRows } from '../../lines.ts';
import { FastPages } from './fast-pages.ts';
import { database, open } from '../../../../test/support/sqlite-files.ts';

// What looks like a value of the type and is none, or is one in another spelling.
const ODD: Readonly<Partial<Record<CanonicalType, readonly string[]>>> = {
  decimal: ['1.2.3', '1-2', '--1', '-', '.', '5.', '', '1e5', ' 1', '1 ', '+1', '-1.', '1..2', '٣', 'NaN', '-.5', '.5', '-0', '00.10'],
  date: [
    '2026-13-01',
    '2026-00-10',
    '2026-02-30',
    '2026-1-1',
    '2026-01-01 ',
    '2026-01-01 00:00:00',
    'now',
    '2461000.5',
    '0000-00-00',
    '20260101',
  ],
  timestamp: [
    '2026-13-01 00:00:00',
    '2026-01-01 24:00:00',
    '2026-01-01 00:60:00',
    '2026-01-01 00:00:00.1234567',
    '2026-01-01 00:00:00.',
    '2026-01-01 00:00:00Z',
    '2026-01-01 00:00:00.5Z',
    '2026-01-01 00:00:00+00:00',
    '2026-01-01 00:00:00.5+00:00',
    '2026-01-01 00:00:00.12 +5',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00',
    '2026-01-01',
    'now',
    '2461000.5',
    '2026-01-01 00:00:00.123456 ',
  ],
  timestamptz: [
    '2026-01-01 00:00:00',
    '2026-01-01 00:00:00+02:00',
    '2026-01-01 00:00:00Z',
    '2026-01-01 00:00:00.+00:00',
    '2026-01-01 00:00:00.1234567+00:00',
    '2026-01-01 00:00:00+00:00+00:00',
    '2026-01-01 00:00+00:00',
    '2026-13-01 00:00:00+00:00',
  ],
};
/** Other kinds than the type has, which SQLite would join as if they were. */
const KINDS: Readonly<Partial<Record<CanonicalType, readonly string[]>>> = {
  text: ['1', '0.1', "x'61'"],
  int64: ['1.5', '1e300', "'1'", "'1;'", "x'31'"],
  boolean: ['2', '1.0', "'1'", "x'31'", "'t'"],
  float64: ['1e999', "'1.5'", "x'312e35'"],
  decimal: ['1e300', "x'312e35'", "'1:5'", "'1;'"],
  date: ['2026', "x'323032362d31312d3135'"],
  time: ['12', "x'31323a30303a3030'", "'12:60:00'", "'24:00:00'", "'12:00:00.1234567'"],
  uuid: ["'6F1C1D4E-0A1B-4C2D-8E3F-9A0B1C2D3E4F'", "'6f1c1d4e-0a1b-4c2d-8e3f-9a0b1c2d3e4'", "'6f1c1d4e0a1b-4c2d-8e3f-9a0b1c2d3e4f-'"],
  binary: ["'61'", '61', "'x61;'"],
};

const GOOD: Readonly<Partial<Record<CanonicalType, string>>> = {
  decimal: '-1234.50',
  date: '2026-11-15',
  timestamp: '2026-11-15 04:42:11.123456',
  timestamptz: '2026-11-15 04:42:11.5+00:00',
};

for (const [type, odd] of Object.entries(ODD) as [CanonicalType, readonly string[]][]) {
  test(`SQLite makes no line of what is not certain to be a ${type}`, () => {
    const path = database(`create table t (id integer primary key, v text)`);
    const opened = new DatabaseSync(path);
    const insert = opened.prepare('insert into t values (?, ?)');
    for (const [at, value] of [GOOD[type] ?? '', ...odd].entries()) insert.run(at, value);
    for (const [at, value] of ['', ...odd].entries()) {
      const page = new FastPages(opened, ['v'], [type], 'id', { batchBytes: 1000, batchRows: 1000 }).page(
        { sql: 'from t where id = ?', values: [at] },
        1,
      );
      if (page) assert.ok(isCanonical(type, page.lines.toString().slice(0, -1)), `"${value}" became ${page.lines.toString()}`);
      if (at === 0) assert.ok(page, `${GOOD[type]} is certain`);
    }
    opened.close();
  });
}

for (const [type, kinds] of Object.entries(KINDS) as [CanonicalType, readonly string[]][]) {
  test(`no line is made of a value that is of another kind than ${type}`, () => {
    const opened = new DatabaseSync(
      database(`create table t (id integer primary key, v); insert into t (v) values (${kinds.join('), (')})`),
    );
    for (const [at, kind] of kinds.entries()) {
      const pages = new FastPages(opened, ['v'], [type], 'id', { batchBytes: 1000, batchRows: 1000 });
      const page = pages.page({ sql: 'from t where id = ?', values: [at + 1] }, 1);
      assert.equal(page?.lines.toString(), undefined, kind);
    }
    opened.close();
  });
}

test('values of all types that SQLite puts together are those that it has', () => {
  const opened = new DatabaseSync(
    database(`create table t (id integer primary key, s text, n, f real, b boolean, d date, c time, u uuid, z, x blob, m decimal text);
      insert into t values (1, '', 9223372036854775807, 1e21, 1, '2024-02-29', '23:59:59.5', '6f1c1d4e-0a1b-4c2d-8e3f-9a0b1c2d3e4f',
        '2026-11-15 04:42:11.5+00:00', x'', '-12.50'),
      (2, '1:2;' || char(9, 10, 13, 92, 0, 0x1f642), -9223372036854775808, 5, 0, '2000-02-29', '00:00:00', null, null, x'00ff', 12.5),
      (3, null, null, null, null, null, null, null, null, null, null)`),
  );
  const names = ['s', 'n', 'f', 'b', 'd', 'c', 'u', 'z', 'x', 'm'];
  const types: CanonicalType[] = ['text', 'int64', 'float64', 'boolean', 'date', 'time', 'uuid', 'timestamptz', 'binary', 'decimal'];
  const pages = new FastPages(opened, names, types, 'id', { batchBytes: 10_000, batchRows: 1000 });
  const page = pages.page({ sql: 'from t order by id', values: [] }, 10);
  assert.deepEqual(decodeRows(page?.lines ?? Buffer.alloc(0)), [
    [
      '',
      '9223372036854775807',
      '1e+21',
      't',
      '2024-02-29',
      '23:59:59.5',
      '6f1c1d4e-0a1b-4c2d-8e3f-9a0b1c2d3e4f',
      '2026-11-15 04:42:11.5+00',
      '\\x',
      '-12.50',
    ],
    ['1:2;\t\n\r\\\0🙂', '-9223372036854775808', '5', 'f', '2000-02-29', '00:00:00', null, null, '\\x00ff', '12.5'],
    Array.from({ length: 10 }, () => null),
  ]);
  opened.close();
});

test('a file whose texts are UTF-16 is read as any other', async () => {
  const path = database(
    `pragma encoding = 'UTF-16le'; create table t (id integer primary key, s text, d date); insert into t values (1, 'abc', '2026-11-15')`,
  );
  for await (const batch of (await open(path)).read({ stream: 't', fields: ['id', 's', 'd'], key: ['id'] }))
    assert.deepEqual([batch.rows, batch.rejects], [[['1', 'abc', '2026-11-15']], []]);
});

test('doubles and texts come through to the last bit', async () => {
  const path = database('create table t (id integer primary key, f real, s text, b blob)');
  const doubles = fc.sample(fc.double({ noNaN: true }), 1000);
  const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 30 }), 1000).map((text) => text.toWellFormed());
  const opened = new DatabaseSync(path);
  opened.exec('begin');
  const insert = opened.prepare('insert into t values (?, ?, ?, ?)');
  for (const [at, double] of doubles.entries()) insert.run(at, double, texts[at] ?? '', Buffer.from(texts[at] ?? ''));
  opened.exec('commit');
  opened.close();
  let at = 0;
  for await (const batch of (await open(path)).read({ stream: 't', fields: ['f', 's', 'b'], key: ['id'], batchBytes: 20_000 })) {
    assert.deepEqual(batch.rejects, []);
    for (const [double, text, bytes] of batch.rows) {
      // SQLite knows no negative zero.
      assert.equal(Number(double) + 0, (doubles[at] ?? 0) + 0, `${double}`);
      assert.equal(text, texts[at]);
      assert.equal(bytes, `\\x${Buffer.from(texts[at] ?? '').toString('hex')}`);
      at++;
    }
  }
  assert.equal(at, 1000);
});
