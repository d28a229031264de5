// The log of a real server: what is told, in which order, and from where it goes on.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type LogDatabase, logRequest, readChanges, readOn, startLogDatabase } from '../../../../test/support/postgres-log.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../../test/support/tls-certificates.ts';
import { until } from '../../../../test/support/until.ts';
import type { Change, ChangeLog } from '../../changes.ts';

let database: LogDatabase;
let log: ChangeLog;

before(async () => {
  database = await startLogDatabase('-c max_prepared_transactions=5');
  log = await database.log();
});
after(() => database.close());

const insertOf = (stream: number, ...row: (string | null)[]): Change => ({ op: 'insert', stream, row });

describe('what is told', () => {
  test('inserts, updates, key changes, deletes and truncates, in the order of commits', async () => {
    await database.run(`create table plain (id int primary key, v text)`);
    const request = logRequest('plain', { stream: 'public.plain' });
    const position = await log.hold(request);
    await database.run(`insert into plain values (1, 'a'), (2, null), (3, '')`);
    await database.run(`update plain set v = 'b' where id = 1; update plain set id = 20 where id = 2; delete from plain where id = 3`);
    await database.run(`begin; insert into plain values (4, 'no'); rollback`);
    await database.run(`begin; insert into plain values (5, 'x'); savepoint s; insert into plain values (6, 'no'); rollback to s; commit`);
    await database.run('truncate plain');
    const { changes, sets } = await readChanges(log, request, position, 8);
    assert.deepEqual(changes, [
      {
        op: 'fields',
        stream: 0,
        key: ['id'],
        fields: [
          { name: 'id', type: 'int64', nullable: false, native: 'int4' },
          { name: 'v', type: 'text', nullable: true, native: 'text' },
        ],
      },
      insertOf(0, '1', 'a'),
      insertOf(0, '2', null),
      insertOf(0, '3', ''),
      { op: 'update', stream: 0, row: ['1', 'b'] },
      { op: 'update', stream: 0, row: ['20', null], key: ['2'] },
      { op: 'delete', stream: 0, key: ['3'] },
      insertOf(0, '5', 'x'),
      { op: 'truncate', stream: 0 },
    ]);
    assert.ok(Math.abs((sets.at(-1)?.committedAt ?? 0) - Date.now()) < 60_000);
    await log.release('plain');
  });

  test('by an index and by the whole row, also where the table has no primary key', async () => {
    await database.run(`create table by_index (id int not null, v text, code text not null unique); alter table by_index replica identity using index by_index_code_key;
      create table by_row (id int, v text); alter table by_row replica identity full`);
    const request = logRequest('identities', { stream: 'public.by_index', key: ['code'] }, { stream: 'public.by_row' });
    const position = await log.hold(request);
    await database.run(`insert into by_index values (1, 'a', 'x'); insert into by_row values (1, 'a'), (null, 'b')`);
    await database.run(`update by_index set code = 'y'; update by_row set v = 'c' where id = 1; delete from by_index; delete from by_row`);
    const { rows } = await readChanges(log, request, position, 8);
    assert.deepEqual(rows, [
      insertOf(0, '1', 'a', 'x'),
      insertOf(1, '1', 'a'),
      insertOf(1, null, 'b'),
      { op: 'update', stream: 0, row: ['1', 'a', 'y'], key: ['x'] },
      { op: 'update', stream: 1, row: ['1', 'c'] },
      { op: 'delete', stream: 0, key: ['y'] },
      { op: 'delete', stream: 1, key: [null] },
      { op: 'delete', stream: 1, key: ['1'] },
    ]);
    await log.release('identities');
  });

  test('partitions are one stream: rows that move, new parts, the whole truncated', async () => {
    await database.run(`create table parted (id int, at int, v text, primary key (id, at)) partition by range (at);
      create table parted_1 partition of parted for values from (0) to (10); create table parted_2 (v text, at int not null, id int not null);
      alter table parted attach partition parted_2 for values from (10) to (20)`);
    const request = logRequest('parted', { stream: 'public.parted', key: ['id', 'at'] });
    const position = await log.hold(request);
    await database.run(`insert into parted values (1, 1, 'a'), (2, 11, 'b'); update parted set at = 12 where id = 1`);
    await database.run(
      `create table parted_3 partition of parted for values from (20) to (30); insert into parted values (3, 21, 'c'); truncate parted`,
    );
    const { rows, changes } = await readChanges(log, request, position, 6);
    assert.deepEqual(rows, [
      insertOf(0, '1', 'a', '1'),
      insertOf(0, '2', 'b', '11'),
      { op: 'delete', stream: 0, key: ['1', '1'] },
      insertOf(0, '1', 'a', '12'),
      insertOf(0, '3', 'c', '21'),
      { op: 'truncate', stream: 0 },
    ]);
    assert.equal(changes.length - rows.length, 1);
    await log.release('parted');
  });

  test('a single partition that is emptied is a loss of that stream alone, at that place', async () => {
    await database.run(`create table split (id int primary key, v text) partition by range (id); create table split_1 partition of split for values from (0) to (10);
      create table split_2 partition of split for values from (10) to (20); create table beside (id int primary key, v text)`);
    const request = logRequest('split', { stream: 'public.split' }, { stream: 'public.beside' });
    const position = await log.hold(request);
    await database.run(`insert into split values (1, 'a'), (11, 'b'); truncate split_1; insert into beside values (1, 'a')`);
    const { rows } = await readChanges(log, request, position, 4);
    assert.deepEqual(rows.slice(0, 2), [insertOf(0, '1', 'a'), insertOf(0, '11', 'b')]);
    const [, , lost, next] = rows;
    assert.ok(lost?.op === 'lost');
    assert.deepEqual(
      [lost.stream, lost.error.kind, lost.error.code, lost.error.streams],
      [0, 'gap', 'PARTITION_TRUNCATED', ['public.split']],
    );
    assert.deepEqual(next, insertOf(1, '1', 'a'));
    await log.release('split');
  });

  test('a table whose key the log does not tell any more is lost, and the others go on', async () => {
    await database.run(
      `create table turncoat (id int primary key, v text not null unique); create table loyal (id int primary key, v text)`,
    );
    const request = logRequest('turncoat', { stream: 'public.turncoat' }, { stream: 'public.loyal' });
    const position = await log.hold(request);
    await database.run(
      `insert into turncoat values (1, 'a'); alter table turncoat replica identity using index turncoat_v_key; delete from turncoat; insert into loyal values (1, 'a')`,
    );
    const { rows } = await readChanges(log, request, position, 3);
    assert.deepEqual([rows[0], rows.at(-1)], [insertOf(0, '1', 'a'), insertOf(1, '1', 'a')]);
    assert.ok(rows[1]?.op === 'lost');
    assert.equal(rows[1].error.code, 'REPLICA_IDENTITY');
    await log.release('turncoat');
  });

  test('a prepared transaction when it is committed', async () => {
    await database.run(`create table twophase (id int primary key, v text)`);
    const request = logRequest('twophase', { stream: 'public.twophase' });
    const position = await log.hold(request);
    await database.run(`begin; insert into twophase values (1, 'a'); prepare transaction 'one'`);
    await database.run(`begin; insert into twophase values (2, 'no'); prepare transaction 'two'`);
    await database.run(`insert into twophase values (3, 'c')`);
    await database.run(`commit prepared 'one'`);
    await database.run(`rollback prepared 'two'`);
    const { rows } = await readChanges(log, request, position, 2);
    assert.deepEqual(rows, [insertOf(0, '3', 'c'), insertOf(0, '1', 'a')]);
    await log.release('twophase');
  });

  test('a table that is changed: columns come, go, and get another type, right between the rows', async () => {
    await database.run(`create table changing (id int primary key, v int, secret text)`);
    const request = logRequest('changing', { stream: 'public.changing', ignored: ['secret'] });
    const position = await log.hold(request);
    await database.run(`insert into changing values (1, 1)`);
    await database.run(`alter table changing add column w numeric(5,1) default 2; update changing set v = 2`);
    await database.run(`alter table changing alter column v type bigint; update changing set v = 3000000000`);
    await database.run(`alter table changing drop column v; insert into changing values (2, null, 7)`);
    const { changes } = await readChanges(log, request, position, 4);
    const told = changes.map((change) => {
      if (change.op === 'fields') return change.fields.map(({ name, native }) => `${name} ${native}`).join(', ');
      return 'row' in change ? change.row : change;
    });
    assert.deepEqual(told, [
      'id int4, v int4',
      ['1', '1'],
      'id int4, v int4, w numeric(5,1)',
      ['1', '2', '2.0'],
      'id int4, v int8, w numeric(5,1)',
      ['1', '3000000000', '2.0'],
      'id int4, w numeric(5,1)',
      ['2', '7.0'],
    ]);
    // Who does not say what is known is told of nothing new.
    const { changes: few } = await readChanges(log, logRequest('changing', { stream: 'public.changing' }), position, 4);
    assert.deepEqual(few.at(-1), insertOf(0, '2'));
    await log.release('changing');
  });
});

test('small transactions that come while nobody asks are one set, and lines where it was asked for', async () => {
  await database.run(`create table many (id int primary key, v text)`);
  const request = logRequest('many', { stream: 'public.many', asLines: true });
  const position = await log.hold(request);
  const following = log.follow(request, position)[Symbol.asyncIterator]();
  await database.run(`insert into many values (0, 'first')`);
  const first = (await following.next()).value;
  assert.deepEqual(first?.changes.at(-1), insertOf(0, '0', 'first'));
  await database.run(`do $$ begin for n in 1..500 loop insert into many values (n, 'small'); commit; end loop; end $$`);
  const [[end = ''] = []] = await database.rows('select pg_current_wal_lsn()');
  await until('all to be sent', async () => {
    const [[isSent] = []] = await database.rows(`select coalesce(max(sent_lsn) >= '${end}', false) from pg_stat_replication`);
    return isSent === 't';
  });
  // Each of them lets what has come in.
  for (let turn = 0; turn < 20; turn++) await database.rows('select 1');
  const next = (await following.next()).value;
  const [lines] = next?.changes ?? [];
  assert.ok(next?.changes.length === 1 && lines?.op === 'lines' && lines.count === 500);
  assert.ok(next.position !== undefined && log.isBefore(first?.position ?? '', next.position));
  await following.return?.();
  await log.release('many');
});

describe('where it goes on', () => {
  test('behind any position, nothing twice and nothing left out; a large transaction comes in pieces', async () => {
    await database.run(`create table large (id int primary key, v text)`);
    const request = logRequest('large', { stream: 'public.large' });
    const position = await log.hold(request);
    for (let n = 1; n <= 5; n++) await database.run(`insert into large values (${n}, 'small')`);
    await database.run(`insert into large select i, repeat('x', 200) from generate_series(6, 20000) i`);
    await database.run(`insert into large values (20001, 'small')`);
    const { sets, rows } = await readChanges(log, request, position, 20_001);
    assert.deepEqual(
      rows.map((change) => change.op === 'insert' && Number(change.row[0])),
      Array.from({ length: 20_001 }, (_, index) => index + 1),
    );
    assert.ok(sets.filter((set) => set.position === undefined).length >= 3, 'the large one is in pieces');
    for (const { bytes } of sets) assert.ok(bytes < 1.2 * 1024 * 1024, `${bytes} bytes`);
    const firstRow = (set: (typeof sets)[number]): number =>
      Number(set.changes.flatMap((change) => (change.op === 'insert' ? [change.row[0]] : []))[0]);
    for (const [index, set] of sets.entries()) {
      if (!set.position || index === sets.length - 1) continue;
      const next = sets[index + 1] as (typeof sets)[number];
      const again = await readChanges(log, request, set.position, 1);
      assert.equal(firstRow({ ...again.sets[0], changes: again.rows, bytes: 0 }), firstRow(next));
    }
    const positions = sets.flatMap((set) => set.position ?? []);
    for (const [index, one] of positions.entries()) assert.equal(log.isBefore(positions[index - 1] ?? position, one), true);
    await log.release('large');
  });

  test('rows of many megabytes, among small ones', async () => {
    await database.run(`create table huge (id int primary key, v text); alter table huge alter v set storage external`);
    const request = logRequest('huge', { stream: 'public.huge' });
    const position = await log.hold(request);
    for (const [id, megabytes] of [0.01, 1, 5, 0.001, 20, 1.1, 0.9].entries())
      await database.run(`insert into huge values (${id}, repeat('x', ${megabytes * 1024 * 1024 - 1}::int))`);
    const { rows } = await readChanges(log, request, position, 7);
    assert.deepEqual(
      rows.map((change) => change.op === 'insert' && change.row[1]?.length),
      [0.01, 1, 5, 0.001, 20, 1.1, 0.9].map((megabytes) => Math.round(megabytes * 1024 * 1024 - 1)),
    );
    await log.release('huge');
  });

  test('nothing is left behind where the database has become read only', async () => {
    await database.run('create table left_behind (id int primary key, v int)');
    await log.hold(logRequest('left_behind', { stream: 'public.left_behind' }));
    const left = 'select count(*) from pg_publication union all select count(*) from pg_replication_slots';
    const before = await database.rows(left);
    const name = (await database.rows('select current_database()'))[0]?.[0];
    await database.run(`alter database "${name}" set default_transaction_read_only = on`);
    try {
      await (await database.log()).release('left_behind');
    } finally {
      await database.run(`alter database "${name}" reset default_transaction_read_only`);
    }
    assert.deepEqual(
      (await database.rows(left)).map(([count]) => Number(count)),
      before.map(([count]) => Number(count) - 1),
    );
  });

  test('what is acknowledged is forgotten; an idle stream does not hold the log of others', async () => {
    await database.run(`create table quiet (id int primary key, v text); create table loud (id int primary key, v text)`);
    const request = logRequest('quiet', { stream: 'public.quiet' });
    const following = log.follow(request, await log.hold(request));
    const reader = readOn(following);
    await database.run(`insert into quiet values (1, 'a')`);
    await until('the row has come', () => reader.changes.length === 2);
    const confirmed = async (): Promise<string | null> =>
      (await database.rows(`select confirmed_flush_lsn from pg_replication_slots where slot_name like 'syncline_quiet_%'`))[0]?.[0] ?? null;
    await until('it is confirmed', async () => reader.positions.at(-1)?.endsWith(`:${await confirmed()}`));
    await database.run(`insert into loud select i, repeat('x', 1000) from generate_series(1, 5000) i`);
    const { bytes } = await log.kept('quiet');
    assert.ok((bytes ?? 0) > 5_000_000, `${bytes} bytes are kept`);
    // The end is asked for: so it is said at once that it is reached.
    const end = await log.end();
    await until('the end is reached', () => reader.positions.some((position) => !log.isBefore(position, end)), 5000);
    assert.equal(reader.changes.length, 2);
    await until('the log is forgotten', async () => {
      await database.run('checkpoint; select pg_log_standby_snapshot()').catch(() => database.run('checkpoint'));
      await log.end();
      return ((await log.kept('quiet')).bytes ?? 0) < 1_000_000;
    });
    assert.equal(typeof (await log.kept('quiet')).bytesPerSecond, 'number');
    // Also while it is being read.
    await log.release('quiet');
    const ended = await reader.ended;
    assert.ok(ended instanceof Error);
    assert.deepEqual(await log.kept('quiet').then((kept) => kept.bytes), null);
    await log.release('quiet');
  });

  test('a new reader puts an end to the one before, who hears that he is fenced', async () => {
    await database.run(`create table two_readers (id int primary key, v text)`);
    const request = logRequest('two_readers', { stream: 'public.two_readers' });
    const position = await log.hold(request);
    const first = readOn(log.follow(request, position));
    await database.run(`insert into two_readers values (1, 'a')`);
    await until('the first reads', () => first.changes.length === 2);
    const second = readOn((await database.log()).follow(request, first.positions.at(-1) ?? ''));
    await database.run(`insert into two_readers values (2, 'b')`);
    await until('the second reads', () => second.changes.length === 2);
    assert.equal(((await first.ended) as { kind?: string }).kind, 'fenced');
    assert.deepEqual(second.changes.at(-1), insertOf(0, '2', 'b'));
    await log.release('two_readers');
    await second.ended;
  });

  test('until the signal', async () => {
    await database.run(`create table stopped (id int primary key, v text)`);
    const stop = new AbortController();
    const request = { ...logRequest('stopped', { stream: 'public.stopped' }), signal: stop.signal };
    const reader = readOn(log.follow(request, await log.hold(request)));
    await database.run(`insert into stopped values (1, 'a')`);
    await until('the row has come', () => reader.changes.length === 2);
    stop.abort();
    assert.equal(((await reader.ended) as { code?: string }).code, 'ABORTED');
    await until(
      'nobody has the slot',
      async () =>
        (await database.rows(`select 1 from pg_replication_slots where active and slot_name like 'syncline_stopped%'`)).length === 0,
    );
    await log.release('stopped');
  });

  test('streams are added and taken away while it is held; transactions that just write to a new one are waited for', async () => {
    await database.run(`create table first (id int primary key, v text); create table second (id int primary key, v text)`);
    const one = logRequest('adding', { stream: 'public.first' });
    const both = logRequest('adding', { stream: 'public.first' }, { stream: 'public.second' });
    const position = await log.hold(one);
    const writer = await database.client();
    await writer.query(`begin; insert into second values (1, 'before')`);
    let isDone = false;
    const changing = log.change(both).then(() => {
      isDone = true;
    });
    await until(
      'the table is in the publication',
      async () => (await database.rows(`select 1 from pg_publication_tables where tablename = 'second'`)).length === 1,
    );
    assert.equal(isDone, false);
    await writer.query(`insert into second values (2, 'before'); commit`);
    await changing;
    await database.run(`insert into second values (3, 'told'); insert into first values (1, 'told')`);
    const { rows } = await readChanges(log, both, position, 2);
    assert.deepEqual(rows.slice(-2), [insertOf(1, '3', 'told'), insertOf(0, '1', 'told')]);
    await log.change(one);
    assert.equal((await database.rows(`select 1 from pg_publication_tables where tablename = 'second'`)).length, 0);
    await log.release('adding');
  });
});

test('over TLS, and until the session is closed', async () => {
  const [[folder] = []] = await database.rows(`select current_setting('data_directory')`);
  for (const [name, text] of [
    ['server.crt', CERTIFICATE],
    ['server.key', CERTIFICATE_KEY],
  ])
    await database.run(`copy (select unnest(string_to_array('${text?.trim()}', E'\\n'))) to program 'umask 077; cat > ${folder}/${name}'`);
  await database.run('alter system set ssl = on');
  await database.run('select pg_reload_conf()');
  const session = await until('TLS is on', async () => {
    const one = await database.session({ ssl: 'require' });
    return one.check().then(
      () => one,
      () => undefined,
    );
  });
  assert.ok(session.log);
  const request = logRequest('encrypted', { stream: 'public.plain' });
  const position = await session.log.hold(request);
  const reader = readOn(session.log.follow(request, position));
  await database.run(`insert into plain select i, repeat('x', 1000) from generate_series(100, 5099) i`);
  await until('all rows have come', () => reader.changes.length === 5001);
  assert.deepEqual(await database.rows(`select s.ssl from pg_stat_ssl s join pg_stat_replication r on r.pid = s.pid`), [['t']]);
  await session.close();
  assert.equal(((await reader.ended) as { code?: string }).code, 'ABORTED');
  await log.release('encrypted');
});

test('nothing is left over', async () => {
  assert.deepEqual(await database.rows('select slot_name from pg_replication_slots'), []);
  assert.deepEqual(await database.rows('select pubname from pg_publication'), []);
});
