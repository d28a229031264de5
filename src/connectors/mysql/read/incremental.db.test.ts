import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type MysqlDatabase, mysqlDatabase } from '../../../../test/support/mysql-database.ts';
import { until } from '../../../../test/support/until.ts';
import type { Batch } from '../../batch.ts';
import type { ReadRequest } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { reachOf } from '../../../outside/reach.ts';
import { rootsOf } from '../../../outside/roots.ts';
import { connector } from '../connector.ts';
import type { MysqlConfig } from '../manifest.ts';

describe('reading what is new', () => {
  let database: MysqlDatabase;
  before(async () => {
    database = await mysqlDatabase();
    // Who may not see the transactions of others, so that those of other tests do not matter.
    await database.query(`create user '${database.name}'@'%' identified by 'word'`);
    await database.query(`grant select on \`${database.name}\`.* to '${database.name}'@'%'`);
  });
  after(async () => {
    await database.query(`drop user '${database.name}'@'%'`);
    await database.close();
  });

  const open = (config: Partial<MysqlConfig> = {}): Promise<Session> =>
    connector.open(
      {
        host: database.host,
        port: database.port,
        user: database.name,
        password: 'word',
        database: database.name,
        tls: 'prefer',
        ...config,
      },
      { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal },
    );
  const read = async (session: Session, request: ReadRequest): Promise<{ ids: (string | null)[]; batches: Batch[]; end: string }> => {
    const batches: Batch[] = [];
    for await (const batch of session.read(request)) batches.push(batch);
    const ids = batches.flatMap((batch) => batch.rows.map((row) => row[0] ?? null));
    return { ids, batches, end: batches.at(-1)?.position ?? '' };
  };
  const request = (stream: string, cursor: string, rest: Partial<ReadRequest> = {}): ReadRequest => ({
    stream,
    fields: ['id', cursor].filter((name, at, all) => all.indexOf(name) === at),
    key: ['id'],
    cursor,
    ...rest,
  });
  const numbers = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, at) => String(from + at));

  test('by a number: begins so many numbers before the end', async () => {
    await database.query('create table numbered (id bigint primary key)');
    await database.query(
      `insert into numbered values ${numbers(1, 50)
        .map((id) => `(${id})`)
        .join(', ')}`,
    );
    const session = await open({ overlap_values: 5 });
    const first = await read(session, request('numbered', 'id'));
    assert.deepEqual(first.ids, numbers(1, 50));
    await database.query('insert into numbered values (51), (0)');
    const second = await read(session, request('numbered', 'id', { after: first.end }));
    assert.deepEqual(second.ids, numbers(45, 51));
    const none = await open({ overlap_values: 0 });
    assert.deepEqual((await read(none, request('numbered', 'id', { after: second.end }))).ids, ['51']);
  });
  test('by an unsigned number, also where the window would go below zero', async () => {
    await database.query('create table unsigned_ids (id bigint unsigned primary key)');
    await database.query('insert into unsigned_ids values (1), (18446744073709551615)');
    const session = await open();
    const first = await read(session, request('unsigned_ids', 'id', { limit: 1 }));
    assert.deepEqual(first.ids, ['1']);
    const rest = await read(session, request('unsigned_ids', 'id', { after: first.end }));
    assert.deepEqual(rest.ids, ['18446744073709551615']);
    await database.query('delete from unsigned_ids where id > 1');
    const all = await read(session, request('unsigned_ids', 'id'));
    assert.deepEqual((await read(session, request('unsigned_ids', 'id', { after: all.end }))).ids, ['1']);
  });
  test('by a time: begins so many seconds before the end, to the microsecond', async () => {
    await database.query('create table timed (id int primary key, at datetime(6))');
    await database.query(
      "insert into timed values (1, '2026-11-15 10:00:00'), (2, '2026-11-15 10:00:29.999999'), (3, '2026-11-15 10:00:30'), (4, '2026-11-15 10:01:00')",
    );
    const session = await open({ overlap: 30 });
    const first = await read(session, request('timed', 'at'));
    assert.deepEqual(first.ids, ['1', '2', '3', '4']);
    // Committed late, with an earlier time.
    await database.query("insert into timed values (5, '2026-11-15 10:00:45'), (6, '2026-11-15 10:02:00')");
    assert.deepEqual((await read(session, request('timed', 'at', { after: first.end }))).ids, ['3', '5', '4', '6']);
  });
  test('by a date: whole days', async () => {
    await database.query('create table dated (id int primary key, at date)');
    await database.query("insert into dated values (1, '2026-11-13'), (2, '2026-11-14'), (3, '2026-11-15')");
    const session = await open();
    const first = await read(session, request('dated', 'at'));
    assert.deepEqual((await read(session, request('dated', 'at', { after: first.end }))).ids, ['2', '3']);
  });
  test('a transaction that runs for long widens the window, when the user may see it', async () => {
    await database.query('create table slow (id int primary key, at timestamp(6) not null default current_timestamp(6))');
    const late = await database.connect();
    await late.query('start transaction');
    await late.query('insert into slow (id) values (1)');
    await until('two seconds later, by the clock of the server', async () => {
      const [[is] = []] = await late
        .query({ sql: 'select now(6) > at + interval 2 second from slow', rowsAsArray: true })
        .then(([rows]) => rows as unknown[][]);
      return Number(is) === 1;
    });
    await database.query('insert into slow (id) values (2)');
    const session = await open({ overlap: 0, user: database.user, password: database.password });
    const first = await read(session, request('slow', 'at'));
    assert.deepEqual(first.ids, ['2']);
    await late.query('commit');
    const second = await read(session, request('slow', 'at', { after: first.end }));
    assert.deepEqual(second.ids, ['1', '2'], 'dated two seconds before the end of the first read, and found without an overlap');
  });
  test('what came late while a read was cut off is found by the one after', async () => {
    await database.query('create table cut_off (id int primary key, at datetime(6), filler char(200) default "x")');
    const moment = (id: number): string => `2026-11-15 10:${String(id).padStart(2, '0')}:00`;
    await database.query(
      `insert into cut_off (id, at) values ${numbers(1, 40)
        .filter((id) => id !== '5')
        .map((id) => `(${id}, '${moment(Number(id))}')`)
        .join(', ')}`,
    );
    const session = await open({ overlap: 600 });
    const whole = request('cut_off', 'at', { batchBytes: 100 });
    const { batches } = await read(session, whole);
    const middle = batches[2];
    await database.query(`insert into cut_off (id, at) values (5, '${moment(5)}')`);
    const rest = await read(session, { ...whole, after: middle?.position ?? '' });
    assert.ok(!rest.ids.includes('5'), 'the rest is exactly the rest');
    const next = await read(session, { ...whole, after: rest.end });
    assert.ok(next.ids.includes('5'), 'and what came late is not lost');
  });
  test('without a key, equal cursors are counted', async () => {
    await database.query('create table keyless (id int, at date, filler char(200) default "x")');
    await database.query(
      `insert into keyless (id, at) values ${numbers(1, 30)
        .map((id) => `(${id}, '2026-11-${Number(id) < 20 ? 14 : 15}')`)
        .join(', ')}`,
    );
    const session = await open();
    const whole = { ...request('keyless', 'at', { batchBytes: 30 }), key: [] };
    const { batches } = await read(session, whole);
    assert.ok(batches.length > 5);
    for (const [at, { position }] of batches.slice(0, -1).entries()) {
      const rest = await read(session, { ...whole, after: position });
      assert.deepEqual(
        rest.ids,
        batches.slice(at + 1).flatMap((batch) => batch.rows.map((row) => row[0])),
        `behind batch ${at}`,
      );
    }
  });
  test('rows without a cursor come with the first read', async () => {
    await database.query('create table some_null (id int primary key, at datetime(6))');
    await database.query("insert into some_null values (1, null), (2, '2026-11-15'), (3, null)");
    const session = await open();
    assert.deepEqual((await read(session, request('some_null', 'at'))).ids, ['1', '3', '2']);
  });
  describe('each row once', () => {
    /** Reads on and on; every read tells the ids it had. */
    const reader = async (stream: ReadRequest): Promise<() => Promise<(string | null)[]>> => {
      const session = await open();
      let after: string | undefined;
      return async () => {
        const { ids, end } = await read(session, { ...stream, once: true, ...(after !== undefined && { after }) });
        if (end !== '') after = end;
        return ids;
      };
    };
    test('by a number, a time and a date: nothing comes again, what is new comes', async () => {
      for (const [type, value] of [
        ['bigint', '7'],
        ['timestamp', 'current_timestamp'],
        ['datetime(6)', "'2026-11-15 10:00:00.5'"],
        ['date', "'2026-11-15'"],
        ['double', '0.1'],
      ] as const) {
        const table = `once_${type.replace(/\W/g, '')}`;
        await database.query(`create table ${table} (id int primary key, at ${type} not null)`);
        const again = await reader(request(table, 'at', { batchBytes: 40 }));
        assert.deepEqual(await again(), []);
        await database.query(
          `insert into ${table} values ${numbers(1, 30)
            .map((id) => `(${id}, ${value})`)
            .join(', ')}`,
        );
        assert.equal((await again()).length, 30, type);
        assert.deepEqual(await again(), [], type);
        await database.query(`update ${table} set at = at, id = id`);
        await database.query(`insert into ${table} values (31, ${value})`);
        assert.deepEqual([await again(), await again()], [['31'], []], 'one with the same cursor and a higher key comes');
      }
    });
    test('without a key: nothing comes again', async () => {
      await database.query('create table once_keyless (id int, at date)');
      await database.query("insert into once_keyless values (1, '2026-11-14'), (2, '2026-11-15'), (3, null), (4, '2026-11-15')");
      const again = await reader({ ...request('once_keyless', 'at', { batchBytes: 10 }), key: [] });
      assert.deepEqual(new Set(await again()), new Set(['1', '2', '3', '4']));
      await database.query("insert into once_keyless values (5, '2026-11-16')");
      assert.deepEqual([await again(), await again()], [['5'], []]);
    });
    test('behind a read that stepped back', async () => {
      await database.query('create table once_later (id int primary key)');
      await database.query('insert into once_later values (1), (2)');
      const session = await open();
      const { end } = await read(session, request('once_later', 'id'));
      await database.query('insert into once_later values (3)');
      const { ids } = await read(session, request('once_later', 'id', { once: true, after: end }));
      assert.deepEqual(ids, ['3']);
    });
  });
});
