// A verify, a repair and an undo on two nodes, of which the one that has it dies in the middle: the other goes on with it, or says in words what is under way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { startChaosProxy } from '../support/chaos-proxy.ts';
import { Cluster } from '../support/cluster.ts';
import { preparedPlace } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { addSource, ask, type Body } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { isWhole } from '../support/whole.ts';
import { callerOf } from './caller.ts';
import { howOften, isLarge } from './sizes.ts';

const ROUNDS = howOften(1);
const ROWS = 2_000;
/** How late everything comes to the target while a node is to be hit, in milliseconds. */
const LATENCY = 100;
const PATIENCE = 90_000;
const LONG_AGO = '2000-01-01T00:00:00.000Z';

const skip = !isWhole && !isLarge && 'npm run test:cluster and test:whole have it';

test(`a node that verifies, repairs or undoes dies in the middle, ${ROUNDS} times each`, { skip }, async (t) => {
  const [source, target] = await Promise.all([newDatabase(), newDatabase()]);
  const way = await startChaosProxy({ host: target.config.host, port: target.config.port ?? 5432 });
  const place = await preparedPlace('postgres');
  const cluster = new Cluster(place);
  const own = new pg.Client({ connectionString: place.databaseUrl });
  await own.connect();
  t.after(async () => {
    await cluster.killAll();
    await own.end();
    await place.remove();
    await way.close();
    await Promise.all([source.close(), target.close()]);
  });
  await cluster.startMany(2);
  const service = callerOf(cluster);
  await source.run(`create table t (id int primary key, v text); insert into t select n, 'v' || n from generate_series(1, ${ROWS}) n`);
  const { id }: Body = await ask(service, 'POST', '/sync', {
    name: 'proven',
    source_id: await addSource(service, 'postgres', source.config, 'source'),
    target_id: await addSource(service, 'postgres', { ...target.config, port: way.port }, 'target'),
    streams: [{ source: 'public.t', mode: 'mirror' }],
    undo: { keep: '1h' },
  });
  const over = (run: string): Promise<Body> =>
    until(
      `the run ${run} to be over`,
      async () => {
        const found = await ask(service, 'GET', `/runs/${run}`);
        return found.finished_at === null ? undefined : found;
      },
      PATIENCE,
    );
  const start = async (mode: string): Promise<string> => (await ask(service, 'POST', `/sync/${id}/runs`, { mode })).id;
  /** Kills the node that has the run, once it is at the target; the other need not wait for its lease. */
  const killed = async (run: string): Promise<Body> => {
    const sql = `select n.pid from runs r join nodes n on n.id = r.node where r.id = $1 and r.status = 'running'`;
    const pid = await until('a node to have it', async () => Number((await own.query(sql, [run])).rows[0]?.pid) || undefined, PATIENCE);
    await until('it to be at the target', async () => (await sessions()) > 0, PATIENCE);
    const victim = cluster.nodes.find((node) => node.pid === pid) ?? assert.fail(`there is no node ${pid}`);
    await cluster.kill(victim);
    await own.query(`update runs set lease_until = '${LONG_AGO}' where id = $1 and status = 'running'`, [run]);
    way.latency = 0;
    const ended = await over(run);
    await cluster.start();
    return ended;
  };
  const sessions = async (): Promise<number> =>
    (
      await target.rows(
        `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      )
    ).length;
  const rowsOf = (database: typeof source): Promise<unknown> => database.rows('select id, v from t order by id');

  await over(await start('run'));
  for (let round = 0; round < ROUNDS; round++) {
    way.latency = LATENCY;
    const verify = await killed(await start('verify'));
    assert.deepEqual([verify.status, verify.streams[0].proof?.result, verify.streams[0].proof?.rows], ['succeeded', 'equal', ROWS]);

    await target.run(
      `update t set v = 'damaged' where id % 10 = 1; delete from t where id % 10 = 2; insert into t values (${ROWS + 1}, 'extra')`,
    );
    way.latency = LATENCY;
    const repair = await killed(await start('repair'));
    assert.deepEqual([repair.status, repair.streams[0].proof?.result], ['succeeded', 'equal'], JSON.stringify(repair));
    assert.deepEqual([repair.totals.updated, repair.totals.inserted, repair.totals.deleted], [ROWS / 10, ROWS / 10, 1], 'of both nodes');
    assert.deepEqual(await rowsOf(target), await rowsOf(source));

    const before = await rowsOf(target);
    await source.run(`update t set v = v || '.' where id % 10 = 3`);
    const run = await over(await start('run'));
    assert.equal(run.totals.updated, ROWS / 10);
    const [victim] = cluster.present;
    assert.ok(victim);
    way.latency = LATENCY;
    const path = `/api/v1/datasync/runs/${run.id}/undo`;
    const asked = callerOf(victim)
      .call('POST', path)
      .catch(() => undefined);
    await until('it to be under way', async () => (await own.query('select 1 from sync_state where undo_run is not null')).rows.length > 0);
    await cluster.kill(victim);
    await asked;
    way.latency = 0;
    // Either the dead one was done at the target, or it was not: nothing of it is left half.
    const early = await service.call('POST', path);
    if (early.status !== 200) assert.match(early.text, /"CONFLICT".*is being undone at this moment\. Wait for it\./);
    await own.query(`update sync_state set undo_until = '${LONG_AGO}'`);
    const reply = await service.call('POST', path);
    assert.equal(reply.status, 200, reply.text);
    const { undone } = reply.body.data.run;
    assert.deepEqual([undone.restored, undone.removed, undone.left], [ROWS / 10, 0, 0]);
    assert.deepEqual(await rowsOf(target), before);
    await cluster.start();
    await ask(service, 'POST', `/sync/${id}/resume`);
    await until('the run after it to be over', async () => {
      const [last] = (await ask(service, 'GET', `/sync/${id}/runs`)) as Body[];
      return last.finished_at !== null;
    });
    await over(await start('run'));
    assert.deepEqual(await rowsOf(target), await rowsOf(source));
  }
});
