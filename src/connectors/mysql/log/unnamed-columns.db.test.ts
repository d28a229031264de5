import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestOf, told, useLog } from '../../../../test/support/mysql-log.ts';
import { ownMysqlWords } from '../../../../test/support/mysql-server.ts';
import type { Change, LogStream } from '../../changes.ts';

/** The rows and losses, in short: a row under the names of its fields. */
function brief(changes: readonly Change[]): unknown[] {
  let names: string[] = [];
  return changes.flatMap((change): unknown[] => {
    if (change.op === 'fields') names = change.fields.map(({ name }) => name);
    if (change.op === 'lost') return [change.error.code];
    return change.op === 'insert' ? [Object.fromEntries(names.map((name, i) => [name, change.row[i]]))] : [];
  });
}

// What servers log unless they are set to more: types, and no names.
describe(`rows of a log that names no columns (binlog_row_metadata ${ownMysqlWords().rowMetadata[0]}), of a table that is altered soon after`, () => {
  const fixture = useLog([`--binlog-row-metadata=${ownMysqlWords().rowMetadata[0]}`]);

  /** What is told of rows between two statements that alter the table, when all of it has happened before it is read. */
  const toldOf = async (table: string, statements: readonly string[], wanted: Partial<LogStream> = {}): Promise<unknown[]> => {
    await fixture.database.query(`create table ${table} (id int primary key, a int, b int)`);
    const log = await fixture.log();
    const request = requestOf({ stream: table, fields: ['id', 'a', 'b'], key: ['id'], ignored: [], ...wanted });
    const from = await log.hold(request);
    for (const statement of statements) await fixture.database.query(statement);
    return brief((await told(log, request, from)).changes);
  };

  test('are never told under the names that columns of the same types have got since', async () => {
    assert.deepEqual(
      await toldOf('shifted', [
        'alter table shifted add column c int default 3',
        'insert into shifted values (1, 10, 20, 30)',
        'alter table shifted drop column a, add column d int',
        'insert into shifted values (2, 20, 30, 40)',
      ]),
      ['LAYOUT_UNKNOWN', { id: '2', b: '20', c: '30', d: '40' }],
    );
  });

  test('nor when their names were exchanged, and the log was rotated in between', async () => {
    assert.deepEqual(
      await toldOf('exchanged', [
        'insert into exchanged values (1, 10, 20)',
        'flush binary logs',
        'alter table exchanged change a b int, change b a int',
        'insert into exchanged values (2, 10, 20)',
      ]),
      ['LAYOUT_UNKNOWN', { id: '2', a: '20', b: '10' }],
    );
  });

  test('are told when nothing has altered it: statements on other tables do not matter, nor those from before', async () => {
    await fixture.database.query('create table beside (id int primary key)');
    assert.deepEqual(
      await toldOf('kept', [
        'alter table kept drop column a, add column c int',
        'insert into kept values (1, 20, 30)',
        'alter table beside add column kept int',
        'truncate table kept',
        'insert into kept values (2, 21, 31)',
      ]),
      [
        { id: '1', b: '20', c: '30' },
        { id: '2', b: '21', c: '31' },
      ],
    );
  });

  test('are lost once, and no other stream with them', async () => {
    await fixture.database.query('create table whole (id int primary key, a int)');
    await fixture.database.query('create table torn (id int primary key, a int, b int)');
    const log = await fixture.log();
    const request = requestOf({ stream: 'torn', fields: ['id', 'a'], key: ['id'] }, { stream: 'whole', fields: ['id', 'a'], key: ['id'] });
    const from = await log.hold(request);
    for (const statement of [
      'insert into torn values (1, 10, 20)',
      'insert into whole values (1, 10)',
      'insert into torn values (2, 10, 20)',
      'alter table torn modify a int after b',
      'insert into torn values (3, 20, 10)',
    ])
      await fixture.database.query(statement);
    const { changes } = await told(log, request, from);
    assert.deepEqual(
      changes.filter(({ op }) => op !== 'fields').map(({ op, stream }) => `${op} ${stream}`),
      ['lost 0', 'insert 1', 'insert 0'],
    );
  });

  if (ownMysqlWords().isMariaDb)
    test('a statement that sets a variable for itself alters the table as any other does', async () => {
      assert.deepEqual(
        await toldOf('guarded', [
          'insert into guarded values (1, 10, 20)',
          "set statement max_statement_time = 100, sql_mode = 'ANSI' for alter table guarded change a b int, change b a int",
          'insert into guarded values (2, 10, 20)',
        ]),
        ['LAYOUT_UNKNOWN', { id: '2', a: '20', b: '10' }],
      );
    });
});
