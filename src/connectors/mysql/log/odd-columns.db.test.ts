import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestOf, told, useLog } from '../../../../test/support/mysql-log.ts';
import { ownMysqlWords } from '../../../../test/support/mysql-server.ts';
import type { Row } from '../../canonical.ts';
import type { LoggedRow } from '../../changes.ts';

for (const metadata of ownMysqlWords().rowMetadata)
  describe(`columns that the server computes, or does not show (binlog_row_metadata ${metadata})`, () => {
    const fixture = useLog([`--binlog-row-metadata=${metadata}`]);

    test('are told as a read tells them, between others, when they change and after the table was altered', async () => {
      const { database } = fixture;
      await database.query(`create table odd (
        id int primary key, a int, doubled int generated always as (a * 2) virtual, hidden varchar(10) invisible,
        kept varchar(30) generated always as (concat('is ', a)) stored, late int generated always as (a + 1) virtual, b varchar(10))`);
      const session = await fixture.open();
      const [stream] = await session.discover(['odd']);
      assert.ok(stream && session.log);
      const fields = stream.fields.map(({ name }) => name);
      const request = requestOf({ stream: 'odd', fields, key: ['id'] });
      const from = await session.log.hold(request);
      await database.query("insert into odd (id, a, hidden, b) values (1, 1, 'h', 'x'), (2, null, null, 'y'), (3, 3, 'gone', 'z')");
      await database.query("update odd set a = 7, hidden = 'i' where id = 1");
      await database.query('delete from odd where id = 3');
      const first = await told(session.log, request, from);
      await database.query('alter table odd drop column late');
      await database.query("insert into odd (id, a, hidden, b) values (4, 4, 'h', 'w')");
      const second = await told(session.log, request, first.position);
      const rows = new Map<unknown, LoggedRow>();
      for (const change of [...first.changes, ...second.changes]) {
        if (change.op === 'insert' || change.op === 'update') rows.set(change.row[0], change.row);
        else if (change.op === 'delete') rows.delete(change.key[0]);
        else assert.equal(change.op, 'fields');
      }
      const read: Row[] = [];
      const wanted = fields.filter((name) => name !== 'late');
      for await (const batch of session.read({ stream: 'odd', fields: wanted, key: ['id'] })) read.push(...batch.rows);
      const late = fields.indexOf('late');
      assert.deepEqual(
        [...rows.values()].map((row) => (row.length === fields.length && late !== -1 ? row.toSpliced(late, 1) : row)),
        read,
      );
      await session.close();
    });
  });
