// Each way in which changes can be lost, for real: it has to be known, and named.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { failureOf } from '../../../../test/support/postgres-database.ts';
import { type LogDatabase, logRequest, readChanges, readOn, startLogDatabase } from '../../../../test/support/postgres-log.ts';
import { until } from '../../../../test/support/until.ts';
import type { ChangeLog } from '../../changes.ts';
import type { OutsideError } from '../../../outside/errors.ts';
import { parsePosition, positionText } from './position.ts';

let database: LogDatabase;
let log: ChangeLog;
let slot = '';
let isStopped = false;
let position = '';
const request = logRequest('gaps', { stream: 'public.one' }, { stream: 'public.two' }, { stream: 'public.parts' });

before(async () => {
  database = await startLogDatabase('-c max_slot_wal_keep_size=1MB -c min_wal_size=32MB -c max_wal_size=32MB');
  log = await database.log();
});
after(async () => {
  if (!isStopped) await database.close();
});

beforeEach(async () => {
  await log.release('gaps');
  await database.run(`drop table if exists one, two, three, parts; create table one (id int primary key, v text); create table two (id int primary key, v text);
    create table parts (id int primary key, v text) partition by range (id); create table parts_1 partition of parts for values from (0) to (10);
    create table parts_2 partition of parts for values from (10) to (20)`);
  position = await log.hold(request);
  await database.run(`insert into one values (1, 'a')`);
  slot = (await database.rows('select slot_name from pg_replication_slots'))[0]?.[0] ?? '';
});

/** What a reader hears who goes on from the position. */
async function gapFrom(after = position): Promise<OutsideError> {
  const error = await failureOf(readChanges(log, request, after, 1));
  assert.equal(error.kind, 'gap', error.message);
  assert.match(error.hint ?? '', /loaded anew/);
  return error;
}

test('the slot was dropped', async () => {
  await database.run(`select pg_drop_replication_slot('${slot}')`);
  assert.equal((await gapFrom()).code, 'SLOT_LOST');
});

test('the slot was dropped and made anew, or moved on', async () => {
  await database.run(`select pg_drop_replication_slot('${slot}')`);
  await database.run(`select pg_create_logical_replication_slot('${slot}', 'pgoutput')`);
  assert.equal((await gapFrom()).code, 'SLOT_MOVED');
  position = await log.hold(request);
  await database.run(`insert into one values (2, 'b')`);
  await database.run(`select pg_replication_slot_advance('${slot}', pg_current_wal_lsn())`);
  assert.equal((await gapFrom()).code, 'SLOT_MOVED');
});

test('the server has removed its log', async () => {
  for (let n = 0; n < 4; n++)
    await database.run(`select pg_switch_wal(); create table if not exists filler (v text); insert into filler values ('x'); checkpoint`);
  await until('the slot is lost', async () => {
    await database.run(`insert into filler select repeat('x', 1000) from generate_series(1, 20000); select pg_switch_wal(); checkpoint`);
    return (await database.rows(`select wal_status from pg_replication_slots`))[0]?.[0] === 'lost';
  });
  assert.equal((await gapFrom()).code, 'LOG_PURGED');
  // From a new hold it goes on.
  position = await log.hold(request);
  await database.run(`insert into one values (3, 'c')`);
  assert.equal((await readChanges(log, request, position, 1)).rows.length, 1);
});

test('another server, one that was put back, and a position that is none', async () => {
  const here = parsePosition(position);
  assert.equal((await gapFrom(positionText({ ...here, system: '1' }))).code, 'SERVER_CHANGED');
  assert.equal((await gapFrom(positionText({ ...here, timeline: here.timeline + 1 }))).code, 'SERVER_CHANGED');
  assert.equal((await gapFrom(positionText({ ...here, lsn: here.lsn + 2n ** 40n }))).code, 'SERVER_CHANGED');
  const error = await failureOf(async () => readChanges(log, request, 'rubbish', 1));
  assert.deepEqual([error.kind, error.code], ['config', 'POSITION_INVALID']);
});

test('the publication was dropped, made anew, or leaves out deletes', async () => {
  await database.run(`alter publication ${slot} set (publish = 'insert, update')`);
  assert.match((await gapFrom()).message, /leaves out/);
  await database.run(`drop publication ${slot}`);
  assert.equal((await gapFrom()).code, 'PUBLICATION_CHANGED');
  await database.run(`create publication ${slot} for table one, two, parts`);
  assert.match((await gapFrom()).message, /made anew/);
});

test('a table was taken out of the publication, also when it was put in again, or made anew: that stream alone is concerned', async () => {
  await database.run(`alter publication ${slot} drop table two`);
  assert.deepEqual((await gapFrom()).streams, ['public.two']);
  await database.run(`alter publication ${slot} add table two`);
  assert.deepEqual((await gapFrom()).streams, ['public.two']);
  position = await log.hold(request);
  await database.run('drop table two; create table two (id int primary key, v text)');
  assert.deepEqual((await gapFrom()).streams, ['public.two']);
  await database.run('drop table two');
  const error = await gapFrom();
  assert.deepEqual([error.code, error.streams], ['PUBLICATION_CHANGED', ['public.two']]);
});

test('a partition was dropped or detached', async () => {
  await database.run('alter table parts detach partition parts_1');
  const error = await gapFrom();
  assert.deepEqual(error.streams, ['public.parts']);
  assert.match(error.message, /partition/);
  await database.run('drop table parts_1');
});

test('it is mended by a change of what is held, and goes on', async () => {
  await database.run(`alter publication ${slot} drop table two; alter table parts detach partition parts_1; drop table parts_1`);
  assert.equal((await gapFrom()).kind, 'gap');
  await log.change(request);
  await database.run(`insert into two values (1, 'b')`);
  const { rows } = await readChanges(log, request, position, 2);
  assert.deepEqual(rows.at(-1), { op: 'insert', stream: 1, row: ['1', 'b'] });
});

test('a publication that is dropped under a reader', async () => {
  const reader = readOn(log.follow(request, position));
  await until('it reads', () => reader.changes.length > 0);
  await database.run(`drop publication ${slot}`);
  await database.run(`insert into one values (2, 'b')`);
  const error = (await reader.ended) as OutsideError;
  assert.deepEqual([error.kind, error.code], ['gap', 'PUBLICATION_CHANGED']);
});

test('a reader at work notices within half a minute that a table was taken out', async () => {
  const reader = readOn(log.follow(request, position));
  await until('it reads', () => reader.changes.length > 0);
  await database.run(`alter publication ${slot} drop table one`);
  const began = performance.now();
  const error = (await reader.ended) as OutsideError;
  assert.deepEqual([error.kind, error.code, error.streams], ['gap', 'PUBLICATION_CHANGED', ['public.one']]);
  assert.ok(performance.now() - began < 30_000);
});

test('a server that shuts down does not wait for a target that is behind', async () => {
  const following = log.follow(request, position);
  const iterator = following[Symbol.asyncIterator]();
  await iterator.next();
  // What the server writes down as it shuts down may still come.
  const waiting = (async (): Promise<OutsideError | undefined> => {
    try {
      for (let more = true; more; ) more = (await iterator.next()).done !== true;
      return undefined;
    } catch (error) {
      return error as OutsideError;
    }
  })();
  const began = performance.now();
  const [[folder] = []] = await database.rows(`select current_setting('data_directory')`);
  // By the server itself, as only its own user may: it is stopped as an operator stops it.
  await database.run(`copy (select 1) to program 'kill -INT $(head -1 ${folder}/postmaster.pid)'`).catch(() => undefined);
  isStopped = true;
  const error = await waiting;
  assert.equal(error?.kind, 'transient', String(error));
  await until('the server is down', async () => (await database.client().catch(() => undefined)) === undefined);
  assert.ok(performance.now() - began < 20_000);
  await iterator.return?.();
});
