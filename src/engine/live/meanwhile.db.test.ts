import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { definitionOf, engineRuns } from '../../../test/support/engine-run.ts';
import { liveBench, type LiveBench, liveStream, untilEqual } from '../../../test/support/live-bench.ts';
import { newDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { type LogDatabase, startLogDatabase } from '../../../test/support/postgres-log.ts';
import { until } from '../../../test/support/until.ts';
import { withDefaults } from '../../connectors/config-values.ts';
import { loadConnector } from '../../connectors/load.ts';
import type { Session } from '../../connectors/session.ts';
import { reachOf } from '../../outside/reach.ts';
import { rootsOf } from '../../outside/roots.ts';
import type { RunPorts } from '../run.ts';
import type { StreamDefinition } from '../definition.ts';

let source: LogDatabase;
let target: TestDatabase;
before(async () => {
  source = await startLogDatabase();
  target = await newDatabase();
});
after(async () => {
  await source.close();
  await target.close();
});

function bench(syncId: string, streams: readonly StreamDefinition[]): LiveBench {
  const ends = { source: { type: 'postgres', config: source.config }, target: { type: 'postgres', config: target.config } };
  return liveBench(ends, streams, { syncId });
}

const equal = (table: string): Promise<void> => untilEqual({ source, target }, table);

describe('what happens meanwhile', () => {
  test('a stream that is ahead of one that joins knows its fields when its turn comes', async () => {
    await source.run('create table quick (id int primary key, v int); create table slow (id int primary key, v int)');
    await source.run('insert into slow values (1, 1)');
    await target.run('create table slow (id int primary key, v int)');
    const made = bench('syn_join', [liveStream('public.quick'), liveStream('public.slow')]);
    const lock = await target.client();
    await lock.query('begin; lock table slow in access exclusive mode');
    const first = made.start({ id: 'run_join' });
    await until('one to be live', () => first.reports.get(0)?.live === 'live');
    await source.run('insert into quick values (1, 1)');
    await equal('quick');
    assert.equal(first.reports.get(1)?.live, 'loading');
    // A worker that is killed leaves the load to the next one, which has not heard of the fields of the other stream.
    const stopped = first.stop();
    await lock.query('rollback');
    await stopped;
    const second = made.start({ id: 'run_join' });
    await second.live();
    await source.run('delete from quick; insert into quick values (2, 2); update slow set v = 2');
    await equal('quick');
    await equal('slow');
    const outcome = await second.stop();
    assert.equal(outcome.status, 'handed_over');
    // Streams share the bytes of what they were told together.
    for (const { report } of outcome.streams) assert.ok(Number.isInteger(report.bytes), `${report.name}: ${report.bytes} bytes`);
  });

  test('a database that is moved is tied together by the first run that is not live', async () => {
    await source.run(`create schema moved; create table moved.parent (id serial primary key, v int); comment on table moved.parent is 'the elder';
      create table moved.child (id int primary key, parent int not null references moved.parent (id) on delete cascade)`);
    await source.run('insert into moved.parent (v) values (1), (2); insert into moved.child values (1, 2)');
    const names = ['moved.child', 'moved.parent'];
    const ends = {
      source: { id: 'src_a', name: 'source', type: 'postgres', config: source.config },
      target: { id: 'src_b', name: 'target', type: 'postgres', config: target.config },
    };
    const streams = names.map((name) => liveStream(name));
    const made = liveBench(ends, streams, { syncId: 'syn_moved', structure: 'full' });
    const run = made.start();
    await run.live();
    const keys = `select conname from pg_constraint where contype = 'f' and conrelid::regclass::text like 'moved.%'`;
    assert.deepEqual(await target.rows(keys), []);
    assert.deepEqual(
      made.log.filter(({ level }) => level === 'warn').map(({ message }) => message),
      ['Foreign keys are left out while the synchronization is live: its first run in another mode makes them.'],
    );
    // A child before its parent is nothing to a live synchronization, as it makes whole transactions.
    await source.run(
      'begin; insert into moved.parent (v) values (3); insert into moved.child values (2, 3); delete from moved.parent where id = 2; commit',
    );
    await equal('moved.child');
    assert.equal((await run.stop()).status, 'handed_over');
    const definition = definitionOf(
      streams.map((stream) => ({ ...stream, mode: 'mirror' as const })),
      { structure: 'full' },
    );
    const last = engineRuns({ definition, ends, syncId: 'syn_moved', firstToken: 100n });
    assert.equal((await last.run()).status, 'succeeded');
    assert.deepEqual(await target.rows(keys), await source.rows(keys));
    assert.deepEqual(await target.rows(`select nextval('moved.parent_id_seq'), obj_description('moved.parent'::regclass)`), [
      ['4', 'the elder'],
    ]);
    for (const name of names) await equal(name);
  });

  // The first look is that of the run, the second that of the load.
  for (const look of [1, 2])
    test(`a table that has changed since it was looked at is looked at again (${look})`, async () => {
      const table = `changed_${look}`;
      await source.run(`create table ${table} (id int primary key, v int, gone int); insert into ${table} values (1, 1, 1)`);
      const made = bench(`syn_${table}`, [liveStream(`public.${table}`)]);
      const run = made.start({ ports: { open: whenLooking(look, () => source.run(`alter table ${table} drop column gone`)) } });
      await run.live();
      await source.run(`insert into ${table} values (2, 2)`);
      await until('both rows', async () => (await target.rows(`select id, v from ${table}`)).length === 2);
      assert.equal((await run.stop()).status, 'handed_over');
    });

  test('a column that came with a default between a row and its load keeps its values', async () => {
    await source.run('create table shaped (id int primary key, v int); insert into shaped values (1, 1)');
    const made = bench('syn_shaped', [liveStream('public.shaped')]);
    const happen = async (): Promise<void> => {
      await source.run('insert into shaped values (2, 2)');
      await source.run('alter table shaped add column n int default 10');
    };
    // The log is held by then; the load sees both rows with their default, and the log tells of the second one without it.
    const run = made.start({ ports: { open: whenLooking(2, happen, 'before') } });
    await run.live();
    await source.run('insert into shaped values (3, 3, 3)');
    await until('the last row', async () => (await target.rows('select id from shaped')).length === 3);
    assert.deepEqual(await target.rows('select id, v, n from shaped order by 1'), [
      ['1', '1', '10'],
      ['2', '2', '10'],
      ['3', '3', '3'],
    ]);
    assert.equal((await run.stop()).status, 'handed_over');
  });

  test('and so does a row that was deleted and made again before it', async () => {
    await source.run('create table remade (id int primary key, v int); insert into remade values (1, 1), (2, 2)');
    const made = bench('syn_remade', [liveStream('public.remade')]);
    const happen = async (): Promise<void> => {
      await source.run('delete from remade where id = 1');
      await source.run('insert into remade values (1, 5)');
      await source.run('alter table remade add column n int not null default 10');
    };
    // The load sees it with its default; then the log takes it away, and brings it back without.
    const run = made.start({ ports: { open: whenLooking(2, happen, 'before') } });
    await run.live();
    await source.run('insert into remade values (3, 3, 3)');
    await until('the last row', async () => (await target.rows('select id from remade')).length === 3);
    assert.deepEqual(await target.rows('select id, v, n from remade order by 1'), [
      ['1', '5', '10'],
      ['2', '2', '10'],
      ['3', '3', '3'],
    ]);
    assert.equal((await run.stop()).status, 'handed_over');
  });

  /** So long that PostgreSQL's log leaves it out where it has not changed. */
  const large = (seed: number): string => `(select string_agg(md5((${seed} + i)::text), '') from generate_series(1, 200) i)`;
  const documents = (table: string): string =>
    `create table ${table} (id int primary key, title text, body text); alter table ${table} alter body set storage external;
     insert into ${table} values (1, 'one', ${large(1)}), (2, 'two', ${large(2)}), (3, 'three', ${large(3)})`;

  test('a key that others have got since the load takes nothing from the row that has it now', async () => {
    await source.run(documents('rekeyed'));
    const made = bench('syn_rekeyed', [liveStream('public.rekeyed')]);
    const happen = async (): Promise<void> => {
      await source.run("update rekeyed set title = 'first' where id = 1");
      await source.run('delete from rekeyed where id = 2');
      await source.run('update rekeyed set id = 2 where id = 1');
      await source.run(`insert into rekeyed values (1, 'another', ${large(4)})`);
      // This one goes on to where nobody finds it.
      await source.run('update rekeyed set id = 4 where id = 3');
      await source.run('delete from rekeyed where id = 4');
      await source.run(`insert into rekeyed values (3, 'another', ${large(5)}); delete from rekeyed where id = 3`);
    };
    const run = made.start({ ports: { open: whenLooking(2, happen, 'before') } });
    await run.live();
    await source.run(`insert into rekeyed values (9, 'last', null)`);
    await until('the last row', async () => (await target.rows('select id from rekeyed where id = 9')).length === 1);
    await equal('rekeyed');
    assert.equal((await run.stop()).status, 'handed_over');
  });

  test('what was looked up is taken for what it is: a row of a later time', async () => {
    await source.run(documents('later'));
    const made = bench('syn_later', [liveStream('public.later')]);
    const happen = async (): Promise<void> => {
      await source.run('delete from later where id = 2');
      await source.run('update later set id = 2 where id = 1');
    };
    // By the time that the second row is looked up, its key is another row's.
    const follow = async (): Promise<void> => {
      await source.run('update later set id = 7 where id = 2');
      await source.run(`insert into later values (2, 'another', ${large(4)})`);
    };
    const run = made.start({ ports: { open: whenLooking(2, happen, 'before', follow) } });
    await run.live();
    await source.run(`insert into later values (9, 'last', null)`);
    await until('the last row', async () => (await target.rows('select id from later where id = 9')).length === 1);
    await equal('later');
    assert.equal((await run.stop()).status, 'handed_over');
  });

  test('a table that can no longer be followed stops its stream, and no other', async () => {
    await source.run('create table keyless (id int primary key, v int); create table other (id int primary key, v int)');
    const made = bench('syn_keyless', [liveStream('public.keyless'), liveStream('public.other')]);
    const first = made.start();
    await first.live();
    await source.run('alter table keyless drop constraint keyless_pkey; insert into keyless values (1, 1)');
    await source.run('insert into other values (1, 1)');
    // It would have to be loaded anew, which is for the next run; and that finds that it cannot be followed.
    assert.equal((await first.outcome).rolled, true);
    const next = made.start();
    await until('the stream to stop', () => next.reports.get(0)?.live === 'stopped');
    assert.equal(next.reports.get(0)?.error?.kind, 'config');
    await source.run('insert into other values (2, 2)');
    await equal('other');
    assert.equal((await next.stop()).status, 'handed_over');
  });
});

/** Opens ends as ever; when the source is looked at for the so many-th time, something happens to it, and before its log is followed. */
function whenLooking(
  count: number,
  happen: () => Promise<void>,
  when: 'before' | 'after' = 'after',
  beforeFollowing: () => Promise<void> = async () => {},
): RunPorts['open'] {
  let looks = 0;
  return async (end) => {
    const connector = await loadConnector('postgres');
    const config = withDefaults(connector.manifest.config, end === 'source' ? source.config : target.config) as never;
    const roots = rootsOf({ folders: [], dataDir: '/nowhere' });
    const session = await connector.open(config, { reach: reachOf('any'), roots, signal: new AbortController().signal });
    if (end === 'target') return session;
    const look = session.discover.bind(session);
    const discover: Session['discover'] = async (names) => {
      const isNow = ++looks === count;
      if (isNow && when === 'before') await happen();
      const found = await look(names);
      if (isNow && when === 'after') await happen();
      return found;
    };
    session.discover = discover;
    const { log } = session;
    assert.ok(log);
    const follow = log.follow.bind(log);
    log.follow = (...asked) => {
      const following = follow(...asked);
      const sets = async function* (): ReturnType<(typeof following)[typeof Symbol.asyncIterator]> {
        await beforeFollowing();
        yield* following;
      };
      return { ...following, [Symbol.asyncIterator]: sets };
    };
    return session;
  };
}
