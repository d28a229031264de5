// What is missing for the log to be followed, and what cannot be: each in words that say what to do.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { failureOf, newDatabase } from '../../../../test/support/postgres-database.ts';
import { type LogDatabase, logRequest, readChanges, startLogDatabase } from '../../../../test/support/postgres-log.ts';
import type { ChangeLog } from '../../changes.ts';
import { reachOf } from '../../../outside/reach.ts';
import { rootsOf } from '../../../outside/roots.ts';
import { linksOf } from '../wire/links.ts';
import { makeSlot } from './slot.ts';

let database: LogDatabase;
let log: ChangeLog;

before(async () => {
  database = await startLogDatabase();
  log = await database.log();
  await database.run('create table plain (id int primary key, v text)');
});
after(() => database.close());

describe('what is refused, in words that say what to do', () => {
  const refusal = async (table: string, key = ['id']): Promise<{ code: string; text: string }> => {
    const error = await failureOf(log.hold(logRequest('refused', { stream: `public.${table}`, key })));
    assert.equal(error.kind, 'config');
    return { code: error.code, text: `${error.message} ${error.hint}` };
  };

  test('tables whose rows the log cannot tell apart', async () => {
    await database.run(`create table no_key (id int, v text); create table nothing (id int primary key, v text); alter table nothing replica identity nothing;
      create table deferred (id int primary key deferrable, v text); create table other_key (id int primary key, v text not null unique);
      create view a_view as select 1 as id, 2 as v; create unlogged table unlogged (id int primary key, v text);
      create table mother (id int primary key, v text); create table child () inherits (mother);
      create table half (id int primary key, v text) partition by range (id); create table half_1 partition of half default; alter table half_1 replica identity nothing`);
    for (const [table, code, words, key] of [
      ['no_key', 'REPLICA_IDENTITY', /no primary key.*ADD PRIMARY KEY.*REPLICA IDENTITY FULL/],
      ['nothing', 'REPLICA_IDENTITY', /no replica identity/],
      ['deferred', 'REPLICA_IDENTITY', /no primary key/],
      ['other_key', 'REPLICA_IDENTITY', /logs "id" .* not "v"/, ['v']],
      ['half', 'REPLICA_IDENTITY', /its part half_1 has no replica identity/],
      ['a_view', 'NOT_LOGGED', /view/],
      ['unlogged', 'NOT_LOGGED', /SET LOGGED/],
      ['mother', 'NOT_LOGGED', /inherit/],
      ['missing', 'STREAM_MISSING', /no table/],
    ] as const) {
      const { code: told, text } = await refusal(table, key ? [...key] : undefined);
      assert.equal(told, code, table);
      assert.match(text, words);
    }
    // A publication with such a table would keep everybody from updating it.
    assert.deepEqual(await database.rows(`select pubname from pg_publication`), []);
    await database.run('update no_key set v = 1');
  });

  test('a slot that an old transaction keeps waiting', async () => {
    const old = await database.client();
    await old.query(`set application_name = 'forgetful'; begin; insert into no_key values (1, 'a')`);
    const context = { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal };
    const links = linksOf(database.config, context);
    const error = await failureOf(links.use('write', undefined, (link) => makeSlot(link, 'too_early', 150_000, 300)));
    assert.deepEqual([error.kind, error.code], ['transient', 'OLD_TRANSACTION']);
    assert.match(error.message, /process \d+ of the user "syncline" in the database ".*" \("forgetful"\), for \d+ second/);
    await old.query('rollback');
    links.close();
    assert.deepEqual(await database.rows('select slot_name from pg_replication_slots'), []);
  });

  test('a publication that someone else has made, when it does not fit', async () => {
    // Before 15 a publication has whole tables.
    const leavesOut = database.version >= 150_000;
    await database.run(`create table published (id int primary key, v text); create table filtered (id int primary key, v text); create table partly (id int primary key, v text, w text);
      create publication theirs for table published${leavesOut ? ', filtered where (id > 1), partly (id, w)' : ''}`);
    const named = await database.log({ publication: 'theirs' });
    for (const [table, words] of [
      ['plain', /"public.plain" is not in it/],
      ['filtered', leavesOut ? /leaves out rows of "public.filtered"/ : /"public.filtered" is not in it/],
      ['partly', leavesOut ? /leaves out v of "public.partly"/ : /"public.partly" is not in it/],
    ] as const) {
      const error = await failureOf(named.hold(logRequest('named', { stream: `public.${table}` })));
      assert.deepEqual([error.kind, error.code, error.field], ['config', 'PUBLICATION_UNFIT', 'publication']);
      assert.match(error.message, words);
    }
    const request = logRequest('named', { stream: 'public.published' });
    const position = await named.hold(request);
    await database.run(`insert into filtered values (5, 'other'); insert into published values (1, 'a')`);
    assert.deepEqual((await readChanges(named, request, position, 1)).rows, [{ op: 'insert', stream: 0, row: ['1', 'a'] }]);
    await named.release('named');
    assert.equal((await database.rows(`select 1 from pg_publication where pubname = 'theirs'`)).length, 1);
    await database.run('drop publication theirs');
  });

  test('a role that may not, slots that are all in use', async () => {
    await database.run(
      `create role reader login; grant select on all tables in schema public to reader; grant create on database ${database.config.database} to reader`,
    );
    const reader = await database.log({ user: 'reader' });
    assert.match((await reader.check()).join(), /ALTER ROLE reader REPLICATION/);
    const request = logRequest('reader', { stream: 'public.plain' });
    assert.match((await failureOf(reader.hold(request))).message, /The user "reader" may not follow the log/);
    await database.run('alter role reader replication');
    assert.deepEqual(await reader.check(), []);
    const error = await failureOf(reader.hold(request));
    assert.deepEqual([error.kind, error.code], ['auth', 'PUBLICATION_REFUSED']);
    assert.match(error.hint ?? '', /CREATE PUBLICATION syncline FOR TABLE "public"."plain"/);
    for (let n = 0; n < 40; n++) await database.run(`select pg_create_physical_replication_slot('taken_${n}')`);
    assert.match((await log.check()).join(), /All 40 replication slots/);
    await database.run(`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name like 'taken%'`);
  });
});

test('a server that does not keep its log says what is missing', async () => {
  const other = await newDatabase();
  try {
    await other.run('create table plain (id int primary key, v text)');
    const { log: unprepared } = await other.session();
    assert.ok(unprepared);
    assert.match((await unprepared.check()).join(), /wal_level is "replica" and has to be "logical"/);
    const error = await failureOf(unprepared.hold(logRequest('unprepared', { stream: 'public.plain' })));
    assert.deepEqual([error.kind, error.code], ['config', 'LOG_NOT_READY']);
    // Who names a publication wants to follow changes, and is told by the check of the source.
    assert.match((await (await other.session({ publication: 'theirs' })).check()).warnings.join(), /wal_level/);
    assert.deepEqual((await (await other.session()).check()).warnings, []);
    await unprepared.release('unprepared');
  } finally {
    await other.close();
  }
});
