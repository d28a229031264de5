import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { followMilestonesByChance } from '../../../../test/support/chance-milestones.ts';
import { requestOf, useLog } from '../../../../test/support/mysql-log.ts';
import { ownMysqlWords } from '../../../../test/support/mysql-server.ts';

// The smallest files that there are: the log goes on in a new one all the time.
for (const settings of [[], ['--max-binlog-size=4096'], ownMysqlWords().compressed])
  describe(`milestones in the log of a server ${settings.join(' ')}`, () => {
    const fixture = useLog(settings);
    const query = (sql: string): Promise<unknown> => fixture.database.query(sql);

    /** The ids that are inserted, set by set. What says nothing of rows is left out. */
    const inserted = async (name: string, start: string, milestones: readonly string[]): Promise<string[][]> => {
      const log = await fixture.log();
      const end = await log.end();
      const sets: string[][] = [];
      for await (const set of log.follow(requestOf({ stream: name, fields: ['id', 'v'], key: ['id'] }), start, milestones)) {
        const ids = set.changes.flatMap((change) => (change.op === 'insert' ? [change.row[0] ?? ''] : []));
        if (ids.length > 0) sets.push(ids);
        if (set.position !== undefined && !log.isBefore(set.position, end)) break;
      }
      return sets;
    };

    test('that are taken while several write', async () => {
      for (const table of ['chance', 'beside']) await query(`create table ${table} (id int primary key, v longtext)`);
      const connections = await Promise.all([1, 2, 3].map(() => fixture.database.connect()));
      await followMilestonesByChance({
        log: await fixture.log(),
        request: requestOf({ stream: 'chance', fields: ['id', 'v'], key: ['id'] }),
        writers: connections.map((connection) => (sql) => connection.query(sql)),
        visible: async () => (await fixture.database.query('select id from chance')).map(([id]) => id ?? ''),
      });
    });

    test('around a new file, statements that are transactions by themselves, and other databases', async () => {
      await query('create table around (id int primary key, v varchar(9))');
      const log = await fixture.log();
      const start = await log.hold(requestOf({ stream: 'around', fields: ['id', 'v'], key: ['id'] }));
      const milestones: string[] = [];
      let id = 0;
      for (const between of [
        'flush binary logs',
        'create table beside_around (id int)',
        'flush binary logs',
        'drop table beside_around',
        'do 1',
      ]) {
        await query(`insert into around values (${++id}, 'a')`);
        milestones.push(await log.end());
        await query(between);
        milestones.push(await log.end());
        await query(`insert into around values (${++id}, 'b')`);
        milestones.push(await log.end());
      }
      assert.deepEqual(
        await inserted('around', start, milestones),
        Array.from({ length: id }, (_, at) => [String(at + 1)]),
      );
    });

    test('in a transaction that began before and is committed behind', async () => {
      await query('create table late (id int primary key, v varchar(9))');
      const log = await fixture.log();
      const start = await log.hold(requestOf({ stream: 'late', fields: ['id', 'v'], key: ['id'] }));
      const slow = await fixture.database.connect();
      await slow.query('begin');
      await slow.query(`insert into late values (1, 'slow')`);
      await query(`insert into late values (2, 'quick')`);
      const milestone = await log.end();
      await slow.query('commit');
      assert.deepEqual(await inserted('late', start, [milestone]), [['2'], ['1']]);
    });
  });
