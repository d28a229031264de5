import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { type CanonicalType, isCanonical } from '../../canonical.ts';
import { FastPages } from './fast-pages.ts';
import { database, folder, open } from '../../../../test/support/sqlite-files.ts';

after(() => rmSync(folder, { recursive: true }));

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
