import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestOf, told, useLog } from '../../../../test/support/mysql-log.ts';
import { mysqlNumbers } from '../../../../test/support/mysql-numbers.ts';
import { ownMysqlWords } from '../../../../test/support/mysql-server.ts';
import type { Change, ChangeLog, LogRequest } from '../../changes.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { MysqlConfig } from '../manifest.ts';

/** What matters of changes, in short. */
const brief = (changes: readonly Change[]): unknown[] =>
  changes.map((change) => {
    if (change.op === 'fields') return ['fields', change.fields.map(({ name, type }) => `${name} ${type}`).join(), change.key.join()];
    if (change.op === 'lost') return ['lost', change.error.code];
    if (change.op === 'reject') return ['reject', change.key, change.reject.field];
    if (change.op === 'truncate' || change.op === 'lines') return [change.op];
    if (change.op === 'delete') return ['delete', ...change.key];
    return change.op === 'update' && change.key ? ['update', ...change.row, { from: change.key }] : [change.op, ...change.row];
  });

describe('the log of a server, followed', () => {
  const fixture = useLog();
  const query = (sql: string): Promise<unknown> => fixture.database.query(sql);

  /** Makes a table, and holds the log before something happens. */
  const followed = async (
    name: string,
    columns: string,
    {
      fields = ['id', 'n'],
      key = ['id'],
      ignored,
      ...config
    }: Partial<MysqlConfig> & { fields?: string[]; key?: string[]; ignored?: string[] } = {},
  ): Promise<{ log: ChangeLog; request: LogRequest; tell: () => Promise<unknown[]>; from: string }> => {
    await query(`create table ${name} (${columns})`);
    const log = await fixture.log(config);
    const request = requestOf({ stream: name, fields, key, ...(ignored && { ignored }) });
    const from = await log.hold(request);
    return { log, request, from, tell: async () => brief((await told(log, request, from)).changes) };
  };

  test('inserts, updates, changes of the key, deletes and a truncate, in their order', async () => {
    const { tell } = await followed('plain', 'id int primary key, other int default 5, n varchar(9)');
    await query("insert into plain (id, n) values (1, 'a'), (2, null)");
    await query("update plain set n = 'b' where id = 1");
    await query('update plain set id = 3 where id = 2');
    await query('delete from plain where id = 1');
    await query('truncate table plain');
    await query("insert into plain (id, n) values (1, 'again')");
    assert.deepEqual(await tell(), [
      ['fields', 'id int64,n text', 'id'],
      ['insert', '1', 'a'],
      ['insert', '2', null],
      ['update', '1', 'b'],
      ['update', '3', null, { from: ['2'] }],
      ['delete', '1'],
      ['truncate'],
      ['insert', '1', 'again'],
    ]);
  });

  test('what is rolled back is not told, with savepoints and tables without transactions', async () => {
    const { tell } = await followed('rolled', 'id int primary key, n int');
    await query('create table loose (id int primary key) engine = MyISAM');
    for (const sql of [
      'begin',
      'insert into rolled values (1, 1)',
      'rollback',
      'begin',
      'insert into rolled values (2, 2)',
      'savepoint a',
      'insert into rolled values (3, 3)',
      'insert into loose values (1)',
      'rollback to a',
      'insert into rolled values (4, 4)',
      'commit',
    ])
      await query(sql);
    assert.deepEqual((await tell()).slice(1), [
      ['insert', '2', '2'],
      ['insert', '4', '4'],
    ]);
  });

  test('several streams in one, in the order of commits, and others not at all', async () => {
    await query('create table one (id int primary key, n int)');
    await query('create table two (id int primary key, n int)');
    await query('create table three (id int primary key)');
    const log = await fixture.log();
    const request = requestOf({ stream: 'two', fields: ['n', 'id'], key: ['id'] }, { stream: 'one', fields: ['id'], key: ['id'] });
    const from = await log.hold(request);
    await query('begin');
    await query('insert into one values (1, 1)');
    await query('insert into three values (1)');
    await query('insert into two values (2, 20)');
    await query('commit');
    await query('insert into three values (2)');
    const { changes, position } = await told(log, request, from);
    assert.deepEqual(
      changes.map((change) => [change.op, change.stream]),
      [
        ['fields', 1],
        ['insert', 1],
        ['fields', 0],
        ['insert', 0],
      ],
    );
    assert.deepEqual(brief(changes).at(-1), ['insert', '20', '2']);
    assert.equal(log.isBefore(position, await log.end()), false, 'also what concerns nobody is behind the position');
  });

  test('a table that is altered: fields are told in the right place, new ones where they are wanted', async () => {
    const { tell } = await followed('altered', 'id int primary key, n int', { ignored: [] });
    await query('insert into altered values (1, 1)');
    await query("alter table altered add column added varchar(20) default 'x'");
    await query('update altered set n = 2');
    await query('alter table altered modify n bigint unsigned');
    await query("insert into altered values (2, 18446744073709551615, 'y')");
    await query('alter table altered drop column n, rename column added to renamed');
    await query("insert into altered values (3, 'z')");
    const all = await tell();
    assert.deepEqual(all.slice(-2), [
      ['fields', 'id int64,renamed text', 'id'],
      ['insert', '3', 'z'],
    ]);
  });

  test('each row is followed as the table was then, when the log is read as it is written', async () => {
    const { log, request, from } = await followed('altering', 'id int primary key, n int', { ignored: [] });
    const seen: unknown[] = [];
    const steps = [
      'insert into altering values (1, 1)',
      "alter table altering add column added varchar(20) default 'x'",
      'update altering set n = 2',
      'alter table altering modify n bigint unsigned',
      "insert into altering values (2, 18446744073709551615, 'y')",
      'alter table altering drop column n, rename column added to renamed',
      "insert into altering values (3, 'z')",
      'alter table altering rename column renamed to n',
      "insert into altering values (4, 'n')",
    ];
    await query(steps.shift() as string);
    for await (const set of log.follow(request, from)) {
      seen.push(...brief(set.changes));
      if (set.changes.length === 0) continue;
      if (steps.length === 0) break;
      // The next row comes when what it is made of was altered.
      do await query(steps.shift() as string);
      while (steps.length % 2 === 1);
    }
    assert.deepEqual(seen, [
      ['fields', 'id int64,n int64', 'id'],
      ['insert', '1', '1'],
      ['fields', 'id int64,n int64,added text', 'id'],
      ['update', '1', '2', 'x'],
      ['fields', 'id int64,n decimal,added text', 'id'],
      ['insert', '2', '18446744073709551615', 'y'],
      ['fields', 'id int64,renamed text', 'id'],
      ['insert', '3', 'z'],
      ['fields', 'id int64,n text', 'id'],
      ['insert', '4', 'n'],
    ]);
  });

  test('what the log does not tell row by row is told as lost, and the others go on', async () => {
    const { tell } = await followed('replaced', 'id int primary key, n int');
    await query('insert into replaced values (1, 1)');
    await query('create table shadow (id int primary key, n int)');
    await query('rename table replaced to replaced_old, shadow to replaced');
    await query('insert into replaced values (2, 2)');
    await query("set statement binlog_format = 'STATEMENT' for insert into replaced values (3, 3)").catch(() => undefined);
    await query('set session binlog_format = STATEMENT');
    await query('update replaced set n = 4 where id = 2');
    await query('set session binlog_format = ROW');
    await query("set session binlog_row_image = 'MINIMAL'");
    await query('update replaced set n = 5 where id = 2');
    await query("set session binlog_row_image = 'FULL'");
    await query('drop table replaced');
    const all = await tell();
    const codes = all.filter((each) => (each as unknown[])[0] === 'lost').map((each) => (each as unknown[])[1]);
    assert.deepEqual(
      [...new Set(codes)],
      ['LAYOUT_UNKNOWN', 'TABLE_REPLACED', 'STATEMENT_LOGGED', 'TABLE_DROPPED'].filter((code) => codes.includes(code)),
    );
    assert.ok(codes.includes('TABLE_REPLACED') && codes.includes('STATEMENT_LOGGED') && codes.includes('TABLE_DROPPED'));
  });

  test('what foreign keys do by themselves is not in the log: what may be changed by it is told as lost', async () => {
    await query('create table parents (id int primary key, n int) engine = InnoDB');
    await query(
      'create table children (id int primary key, parent int, foreign key (parent) references parents (id) on delete cascade on update cascade) engine = InnoDB',
    );
    await query(
      'create table grandchildren (id int primary key, child int, foreign key (child) references children (id) on delete set null) engine = InnoDB',
    );
    const log = await fixture.log();
    const request = requestOf(
      { stream: 'children', fields: ['id'], key: ['id'] },
      { stream: 'grandchildren', fields: ['id'], key: ['id'] },
    );
    const from = await log.hold(request);
    await query('insert into parents values (1, 1), (2, 2), (3, 3)');
    await query('insert into children values (10, 1), (20, 2)');
    await query('insert into grandchildren values (100, 10)');
    await query('update parents set n = 5');
    const quiet = await told(log, request, from);
    assert.deepEqual(brief(quiet.changes), [
      ['fields', 'id int64', 'id'],
      ['insert', '10'],
      ['insert', '20'],
      ['fields', 'id int64', 'id'],
      ['insert', '100'],
    ]);
    await query('delete from parents where id = 1');
    const deleted = await told(log, request, quiet.position);
    assert.deepEqual(
      // The server describes tables that it has looked at, too.
      deleted.changes.filter(({ op }) => op !== 'fields').map((change) => [change.op, change.stream]),
      [
        ['lost', 0],
        ['lost', 1],
      ],
    );
    await query('update parents set id = 4 where id = 2');
    const updated = await told(log, request, deleted.position);
    assert.deepEqual(brief(updated.changes.filter(({ op }) => op !== 'fields')), [
      ['lost', 'CASCADE_NOT_LOGGED'],
      ['lost', 'CASCADE_NOT_LOGGED'],
    ]);
    await query('delete from children');
    const { changes } = await told(log, request, updated.position);
    assert.deepEqual(brief(changes.filter(({ op }) => op !== 'fields')), [
      ['delete', '20'],
      ['lost', 'CASCADE_NOT_LOGGED'],
    ]);
  });

  test('rows in part are told as lost', async () => {
    const { tell } = await followed('partly', 'id int primary key, n int, m int');
    await query("set session binlog_row_image = 'MINIMAL'");
    await query('insert into partly (id) values (1)');
    await query('update partly set m = 5 where id = 1');
    await query("set session binlog_row_image = 'FULL'");
    await query('delete from partly');
    assert.deepEqual(await tell(), [
      ['fields', 'id int64,n int64', 'id'],
      ['lost', 'LOG_IMAGE'],
      ['lost', 'LOG_IMAGE'],
      ['delete', '1'],
    ]);
  });

  test('a row that cannot be read is rejected by itself', async () => {
    const { tell } = await followed('zeros', 'id int primary key, n date', { zero_dates: 'reject' });
    await query("set sql_mode = ''");
    await query("insert into zeros values (1, '2026-00-10'), (2, '2026-01-10')");
    await query("update zeros set n = '0000-00-00', id = 3 where id = 2");
    await query('delete from zeros');
    assert.deepEqual((await tell()).slice(1), [
      ['reject', ['1'], 'n'],
      ['insert', '2', '2026-01-10'],
      ['reject', ['2'], 'n'],
      ['delete', '1'],
      ['delete', '3'],
    ]);
  });

  test('a large transaction comes in several sets, and only the last has a position', async () => {
    const { log, request, from } = await followed('large', 'id int primary key, n varchar(200)');
    await query("insert into large values (-1, 'before')");
    await query(`insert into large select n, repeat('x', 100) from (${mysqlNumbers(1, 30_000)}) ids`);
    await query("insert into large values (0, 'behind')");
    const { changes, sets } = await told(log, request, from);
    assert.equal(changes.filter(({ op }) => op === 'insert').length, 30_002);
    assert.ok(sets.length > 5 && sets.every(({ bytes }) => bytes < 1.5 * 1024 * 1024), `${sets.length} sets`);
    const whole = sets.filter((set) => set.position !== undefined && set.changes.length > 0);
    assert.ok(whole.length <= 3 && sets.at(-1)?.position);
    assert.ok(Math.abs((sets.at(-1)?.committedAt ?? 0) - Date.now()) < 60_000);
  });

  test('from behind any set one goes on where it ended, over rotations of the log too', async () => {
    const { log, request, from } = await followed('resumed', 'id int primary key, n int');
    for (let id = 0; id < 30; id++) {
      await query(`insert into resumed values (${id}, ${id})`);
      if (id % 10 === 5) await query('flush binary logs');
    }
    const whole = await told(log, request, from);
    const rows = whole.changes.filter(({ op }) => op === 'insert');
    assert.equal(rows.length, 30);
    let position = from;
    const pieces: Change[] = [];
    // One set at a time, each by a new follower.
    for (let n = 0; n < 100 && pieces.length < rows.length; n++)
      for await (const set of log.follow(request, position)) {
        assert.ok(set.position && (log.isBefore(position, set.position) || set.changes.length === 0));
        pieces.push(...set.changes.filter(({ op }) => op === 'insert'));
        position = set.position;
        if (set.changes.length > 0) break;
      }
    assert.deepEqual(pieces, rows);
  });

  test('rows are looked up as they are now', async () => {
    const { log, request, from } = await followed('looked', 'id int primary key, n timestamp(3) null');
    await query("insert into looked values (1, '2026-01-01 00:00:00.5'), (2, null)");
    const found = await log.follow(request, from).lookUp(0, [['2'], ['1'], ['7']], ['id', 'n']);
    assert.deepEqual(
      [...found].sort(([one], [other]) => Number(one) - Number(other)),
      [
        ['1', '2026-01-01 00:00:00.500+00'],
        ['2', null],
      ],
    );
    // The log may be behind the table: what is asked for decides, and not what was told.
    assert.deepEqual(await log.follow(request, from).lookUp(0, [['1']], ['n', 'gone', 'id']), [['2026-01-01 00:00:00.500+00', null, '1']]);
  });

  test('what lies behind is told in bytes; nothing is kept for us', async () => {
    const { log, request, from } = await followed('behind', 'id int primary key, n mediumtext');
    await query("insert into behind values (1, repeat('x', 100000))");
    const { bytes } = await log.kept(request.owner);
    assert.ok(bytes !== null && bytes > 100_000 && bytes < 200_000, String(bytes));
    log.follow(request, from).acknowledge(await log.end());
    assert.equal((await log.kept(request.owner)).bytes, 0);
    await log.release(request.owner);
    assert.equal((await log.kept(request.owner)).bytes, null);
  });

  test('a new follower of an owner puts an end to the one before', async () => {
    const { log, request, from } = await followed('taken', 'id int primary key, n int');
    await query('insert into taken values (1, 1)');
    const first = log.follow(request, from)[Symbol.asyncIterator]();
    assert.equal((await first.next()).value?.changes.length, 2);
    const waiting = assert.rejects(async () => {
      for (;;) await first.next();
    }, OutsideError);
    const second = log.follow(request, from)[Symbol.asyncIterator]();
    assert.equal((await second.next()).value?.changes.length, 2);
    await waiting;
    await second.return?.();
  });

  test('a signal ends it', async () => {
    const { log, request, from } = await followed('stopped', 'id int primary key, n int');
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 50);
    await assert.rejects(
      async () => {
        for await (const set of log.follow({ ...request, signal: stop.signal }, from)) assert.ok(set);
      },
      (error) => error instanceof OutsideError && error.code === 'ABORTED',
    );
  });

  test('a prepared transaction (XA) is not told before its time', async () => {
    const { tell } = await followed('distributed', 'id int primary key, n int');
    const prepare = async (name: string, id: number): Promise<void> => {
      for (const sql of [`xa start '${name}'`, `insert into distributed values (${id}, 1)`, `xa end '${name}'`, `xa prepare '${name}'`])
        await query(sql);
    };
    await prepare('a', 1);
    await query("xa rollback 'a'");
    await query('insert into distributed values (2, 2)');
    await prepare('b', 3);
    await query("xa commit 'b'");
    await query('insert into distributed values (4, 4)');
    assert.deepEqual(
      (await tell()).filter((each) => (each as unknown[])[0] !== 'fields'),
      [
        ['insert', '2', '2'],
        ['lost', 'XA_PREPARED'],
        ['insert', '4', '4'],
      ],
    );
  });

  test('what cannot be followed is refused in words', async () => {
    await query('create table keyless (n int)');
    await query('create or replace view seen as select 1 as id');
    const log = await fixture.log();
    const refused = (stream: string, key: string[], code: string): Promise<void> =>
      assert.rejects(
        log.hold(requestOf({ stream, fields: key, key })),
        (error) => error instanceof OutsideError && error.code === code && error.kind === 'config',
      );
    await refused('keyless', [], 'KEY_MISSING');
    await refused('seen', ['id'], 'STREAM_NOT_LOGGED');
    if (ownMysqlWords().isMariaDb) {
      await query('create table versioned (id int primary key) with system versioning');
      await refused('versioned', ['id'], 'STREAM_NOT_LOGGED');
    }
    await refused('nowhere', ['id'], 'STREAM_MISSING');
    await refused('keyless', ['gone'], 'FIELD_MISSING');
    assert.deepEqual(await log.check(), []);
  });
});
