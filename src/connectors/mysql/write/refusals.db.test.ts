import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { useDatabase } from '../../../../test/support/mysql-session.ts';
import { Batch, type Reject } from '../../batch.ts';
import type { CanonicalType, Row } from '../../canonical.ts';
import type { Field, WriteRequest } from '../../contract.ts';

const field = (name: string, type: CanonicalType): Field => ({ name, type, nullable: name !== 'id' });
const ID = field('id', 'int64');

describe('rows that are refused', () => {
  const mysql = useDatabase();
  let token = 0n;

  /** What became of rows, while they were written and at the end. */
  const write = async (
    request: Partial<WriteRequest> & Pick<WriteRequest, 'stream' | 'fields' | 'mode'>,
    rows: readonly Row[],
  ): Promise<{ inserted: number; rejects: Reject[] }> => {
    const writer = await mysql.session.write({ key: ['id'], owner: request.stream, token: ++token, create: false, ...request });
    const results = [await writer.write(Batch.ofRows(rows, { position: '{"p":1}' })), await writer.finish()];
    await writer.close();
    return { inserted: results.reduce((sum, { inserted }) => sum + inserted, 0), rejects: results.flatMap(({ rejects }) => rejects) };
  };

  test('are told with their fields, their values, the constraint and the words of the server', async () => {
    await mysql.database.query('create table parent (id int primary key)');
    await mysql.database.query(`create table child (id int primary key, parent int, amount int check (amount > 0), a int not null, b int,
      name varchar(3), note json, kind enum('x', 'y'), unique two (a, b), constraint ordered check (a < b),
      constraint family foreign key (parent) references parent (id))`);
    const isMariaDb = /mariadb/i.test((await mysql.database.query('select version()'))[0]?.[0] ?? '');
    const says = isMariaDb
      ? { unnamed: 'amount', table: 'child.', check: (name: string) => `CONSTRAINT \`${name}\` failed for …`, index: 'two' }
      : { unnamed: 'child_chk_1', table: '', check: (name: string) => `Check constraint '${name}' is violated.`, index: 'child.two' };
    const fields = [
      ID,
      field('parent', 'int64'),
      field('amount', 'int64'),
      field('a', 'int64'),
      field('b', 'int64'),
      field('name', 'text'),
      field('note', 'json'),
      field('kind', 'text'),
    ];
    const rowOf = (id: number, values: Record<string, string | null>): Row =>
      fields.map(({ name }) => ({ parent: null, amount: '1', a: String(id), b: String(id + 1), ...values, id: String(id) })[name] ?? null);
    const long = 'x'.repeat(200);
    const rows = [
      rowOf(10, { a: '1', b: '2' }),
      rowOf(12, { parent: '9' }),
      rowOf(13, { amount: '-1' }),
      rowOf(14, { b: '3' }),
      rowOf(15, { a: '1', b: '2' }),
      rowOf(16, { name: long }),
      rowOf(17, { a: null }),
      rowOf(18, { note: '{' }),
      rowOf(19, { kind: '1' }),
    ];
    for (const mode of ['append', 'upsert', 'mirror'] as const) {
      await mysql.database.query('delete from child');
      // A mirror into an empty table goes straight, so that this one goes by way of its stage.
      if (mode === 'mirror') await mysql.database.query('insert into child (id, a, b) values (99, 98, 99)');
      const { rejects } = await write({ stream: 'child', fields, mode, owner: mode }, rows);
      const told = rejects
        .map(({ row, field: name, reason }) => `${String(row['id'])} ${name}: ${reason.replace(/`\w+`\.`child`/g, '…')}`)
        .sort();
      assert.deepEqual(
        told,
        [
          '12 parent: Field "parent" = "9": it refers to a row that is not there (constraint "family"). The server says: "Cannot add or update a child row: a foreign key constraint fails (…, CONSTRAINT `family` FOREIGN KEY (`parent`) REFERENCES `parent` (`id`))".',
          `13 amount: Field "amount" = "-1": a check of the table refuses the row (constraint "${says.unnamed}"). The server says: "${says.check(`${says.table}${says.unnamed}`)}".`,
          `14 undefined: Fields "a" = "14", "b" = "3": a check of the table refuses the row (constraint "ordered"). The server says: "${says.check('ordered')}".`,
          `15 undefined: Fields "a" = "1", "b" = "2": another row has this value in a unique index (constraint "two"). The server says: "Duplicate entry '1-2' for key '${says.index}'".`,
          `16 name: Field "name" = "${'x'.repeat(100)}…": the value is too long or too exact for the column; nothing is cut off.`,
          '17 a: Field "a" = null: the column does not take null.',
          told.find((line) => line.startsWith('18 note: Field "note" = "{": ')) ?? '18',
          '19 kind: Field "kind" = "1": the value is none of those that the enum or set has.',
        ],
        mode,
      );
    }
  });
  test('have canonical values, also at the end of a mirror', async () => {
    await mysql.database.query('create table stamped (at timestamp(6) primary key, is_on tinyint(1), email varchar(9) unique)');
    await mysql.database.query("insert into stamped values ('2026-11-15 10:00:00', 1, 'a')");
    const fields = [field('at', 'timestamptz'), field('is_on', 'boolean'), field('email', 'text')];
    const { rejects, inserted } = await write({ stream: 'stamped', fields, key: ['at'], mode: 'mirror' }, [
      ['2026-11-15 10:00:00+00', 't', 'a'],
      ['2026-11-15 11:00:00+00', 'f', 'a'],
    ]);
    assert.deepEqual([inserted, rejects.length], [0, 1]);
    assert.deepEqual(rejects[0]?.row, { at: '2026-11-15 11:00:00.000000+00', is_on: 'f', email: 'a' });
    assert.equal(rejects[0]?.field, 'email');
  });
});
