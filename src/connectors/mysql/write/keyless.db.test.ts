import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDatabase } from '../../../../test/support/mysql-session.ts';
import { Batch } from '../../batch.ts';
import type { CanonicalType, Row } from '../../canonical.ts';
import { sum } from '../../conformance/write.ts';
import type { Field, WriteRequest } from '../../contract.ts';

const field = (name: string, type: CanonicalType): Field => ({ name, type, nullable: name !== 'id' });
const ID = field('id', 'int64');

describe('a mirror without a key', () => {
  const mysql = useDatabase();
  let token = 0n;

  const mirror = async (stream: string, fields: readonly Field[], rows: readonly Row[]): Promise<number[]> => {
    const request: WriteRequest = { stream, fields, key: [], mode: 'mirror', owner: stream, token: ++token, create: false };
    const writer = await mysql.session.write(request);
    const written = await writer.write(Batch.ofRows(rows, { position: '{"p":1}' }));
    const { inserted, updated, unchanged, deleted } = sum([written, await writer.finish()]);
    await writer.close();
    return [inserted, updated, unchanged, deleted];
  };

  test('counts rows that are equal as such, and writes nothing when all are', async () => {
    await mysql.database.query(`create table crowd (id int, name varchar(9) collate utf8mb4_general_ci, body longtext collate utf8mb4_general_ci, amount decimal(9,2),
      ratio double, at datetime(6), bytes varbinary(9), flags bit(8), place point, made varchar(9) default 'before')`);
    const fields = [
      ID,
      field('name', 'text'),
      field('body', 'text'),
      field('amount', 'decimal'),
      field('ratio', 'float64'),
      field('at', 'timestamp'),
      field('bytes', 'binary'),
      field('flags', 'int64'),
      field('place', 'binary'),
    ];
    const point = '\\x0101000000000000000000f03f0000000000000040';
    const long = 'x'.repeat(5000);
    const full: Row = ['1', 'a', `${long}1`, '1.50', '0.1', '2026-11-15 10:00:00.5', '\\x00ff', '200', point];
    const none: Row = ['2', null, null, null, null, null, null, null, null];
    const first = [full, full, full, none];
    const mirrored = (rows: readonly Row[]): Promise<number[]> => mirror('crowd', fields, rows);
    assert.deepEqual(await mirrored(first), [4, 0, 0, 0]);
    await mysql.database.query("update crowd set made = 'after'");
    assert.deepEqual(await mirrored(first.toReversed()), [0, 0, 4, 0]);
    assert.deepEqual(await mysql.database.query('select distinct made from crowd'), [['after']], 'nothing was written');
    assert.deepEqual(await mirrored([full, none, none]), [1, 0, 2, 2]);
    // Each differs from the full one in a single value, some only to the byte.
    const others = [
      [1, 'A'],
      [2, `${long}2`],
      [2, `${long}1 `],
      [3, '1.51'],
      [4, '0.10000000000000002'],
      [5, '2026-11-15 10:00:00.500001'],
      [6, '\\x00fe'],
      [7, '201'],
      [8, null],
    ] as const;
    for (const [at, value] of others) {
      await mirrored([full]);
      assert.deepEqual(await mirrored([full.with(at, value)]), [1, 0, 0, 1], `${fields[at]?.name}`);
    }
    assert.deepEqual(await mirrored(Array.from({ length: 9 }, () => none)), [9, 0, 0, 1], 'all replaced is all deleted');
  });
});
