import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until } from '../support/until.ts';
import { startPostgresEnd } from './ends.ts';
import { disturb, type GapBench, paused, resume, startGapBench } from './gap-bench.ts';

let bench: GapBench;
before(async () => {
  bench = await startGapBench({ source: 'postgres', target: 'postgres' }, '-c max_slot_wal_keep_size=1MB -c checkpoint_timeout=1h');
});
after(() => bench.close());

const slotOf = async (syncId: string): Promise<string> => {
  const found = await bench.from.rows(`select slot_name from pg_replication_slots where slot_name like '%${syncId}%'`);
  assert.equal(found.length, 1, `the slot of ${syncId}`);
  return found[0]?.[0] ?? '';
};

/** Somebody takes the slot away, whoever reads from it. */
async function dropSlot(slot: string): Promise<void> {
  await until('the slot to be gone', async () => {
    await bench.from.rows(`select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = '${slot}' and active`);
    await bench.from
      .rows(`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = '${slot}' and not active`)
      .catch(() => []);
    return (await bench.from.rows(`select 1 from pg_replication_slots where slot_name = '${slot}'`)).length === 0;
  });
}

test('a slot that is dropped while it is followed is named, and all streams are loaded anew', async () => {
  const sync = await bench.live(['run_a', 'run_b']);
  await dropSlot(await slotOf(sync.id));
  await disturb(bench, sync.tables);
  assert.deepEqual(await bench.named(sync, /slot/i), ['public.run_a', 'public.run_b']);
  await bench.healed(sync);
});

test('a slot that is dropped while nobody follows is named when somebody does', async () => {
  const sync = await bench.live(['stop_a', 'stop_b']);
  await paused(bench, sync);
  await dropSlot(await slotOf(sync.id));
  await disturb(bench, sync.tables);
  await resume(bench, sync);
  assert.deepEqual(await bench.named(sync, /slot/i), ['public.stop_a', 'public.stop_b']);
  await bench.healed(sync);
});

test('with on_gap stop nothing is loaded until a person says so', async () => {
  const sync = await bench.live(['ask_a'], { on_gap: 'stop' });
  await dropSlot(await slotOf(sync.id));
  await disturb(bench, sync.tables);
  const found = await until('it to be paused', async () => {
    const now = await sync.look(bench.service);
    return now?.status === 'paused' && now;
  });
  assert.match(found.health_reason, /slot/i);
  assert.deepEqual(await bench.to.rows('select id, v from ask_a order by id'), [
    ['1', '1'],
    ['2', '2'],
    ['3', '3'],
  ]);
  await sync.demand(bench.service, 'PUT', `/sync/${sync.id}`, { on_gap: 'load' });
  await resume(bench, sync);
  await bench.healed(sync);
});

test('a log that was removed is named, and loaded anew', async () => {
  const sync = await bench.live(['wal_a']);
  const slot = await slotOf(sync.id);
  await paused(bench, sync);
  await disturb(bench, sync.tables);
  await until('the server to have removed its log', async () => {
    await bench.from.run(
      'create table if not exists filler (v text); insert into filler select repeat(md5(i::text), 100) from generate_series(1, 3000) i',
    );
    await bench.from.rows('select pg_switch_wal()');
    await bench.from.run('checkpoint');
    const found = await bench.from.rows(`select wal_status from pg_replication_slots where slot_name = '${slot}'`);
    return found[0]?.[0] === 'lost';
  });
  await resume(bench, sync);
  assert.deepEqual(await bench.named(sync, /removed|slot|log/i), ['public.wal_a']);
  await bench.healed(sync);
});

test('a table that is taken out of the publication is named, and it alone is loaded anew', async () => {
  const sync = await bench.live(['out_a', 'out_b']);
  const found = await bench.from.rows(`select pubname from pg_publication_tables where tablename = 'out_a'`);
  assert.equal(found.length, 1);
  await bench.from.run(`alter publication "${found[0]?.[0]}" drop table out_a`);
  await disturb(bench, sync.tables);
  assert.deepEqual(await bench.named(sync, /publication/i), ['public.out_a']);
  await bench.healed(sync);
});

/** So much that the source keeps more than a megabyte of its log. */
const fill = (): Promise<void> =>
  bench.from.run(`create table if not exists filler (v text);
    insert into filler select (select string_agg(md5(random()::text || j), '') from generate_series(1, 40) j) from generate_series(1, 4000) i`);
const isGone = (slot: string) => async (): Promise<boolean> =>
  (await bench.from.rows(`select 1 from pg_replication_slots where slot_name = '${slot}'`)).length === 0;

test('a source that keeps too much as the target stands still lets it go, and is loaded anew', async () => {
  const sync = await bench.live(['much_a'], { max_retained: '1 MB' });
  const slot = await slotOf(sync.id);
  const lock = await bench.target.connect();
  try {
    await lock.run('begin; lock table much_a in access exclusive mode');
    await disturb(bench, sync.tables);
    await fill();
    await until('the source to have let it go', isGone(slot));
  } finally {
    await lock.close();
  }
  await bench.named(sync, /bytes of its log/);
  await bench.healed(sync);
});

test('a source that keeps too much as the target is away lets it go, and is loaded anew', async () => {
  const sync = await bench.live(['far_a'], { max_retained: '1 MB' });
  const slot = await slotOf(sync.id);
  try {
    await bench.target.wire?.shut();
    await disturb(bench, sync.tables);
    await fill();
    await until('the source to have let it go', isGone(slot));
  } finally {
    await bench.target.wire?.heal();
  }
  await bench.healed(sync);
});

test('a target that was away goes on where it was, without a load', async () => {
  const sync = await bench.live(['away_a']);
  await bench.target.wire?.shut();
  await disturb(bench, sync.tables);
  await until('it to be noticed', async () => (await sync.look(bench.service))?.current_run?.status !== 'running');
  await bench.target.wire?.heal();
  await bench.healed(sync);
  const told = await sync.demand(bench.service, 'GET', `/logs?sync_id=${sync.id}&level=warn&limit=100`);
  assert.deepEqual(
    told.filter(({ message }: { message: string }) => /loaded anew/.test(message)),
    [],
  );
});

// The last one: behind it the other server is there.
test('another server under the same name is noticed, and loaded anew', async () => {
  const sync = await bench.live(['moved_a']);
  const other = await startPostgresEnd();
  try {
    const client = await other.connect();
    await client.run('create table moved_a (id int not null primary key, v int); insert into moved_a values (1, 7), (9, 9), (10, 10)');
    bench.source.leadTo(other);
    await bench.named(sync, /server|slot/i);
    await until(
      'the target to have what the other server has',
      async () => String(await bench.to.rows('select id, v from moved_a order by id')) === '1,7,9,9,10,10',
    );
    await client.close();
  } finally {
    await other.close();
  }
});
