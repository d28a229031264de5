import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { startChaosProxy } from '../support/chaos-proxy.ts';
import { Cluster } from '../support/cluster.ts';
import { preparedPlace } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { startLogDatabase } from '../support/postgres-log.ts';
import { addSource, ask, type Body } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { callerOf } from './caller.ts';

const ROWS = 40_000;
/** How late everything comes to the target until a node is killed, in milliseconds: so that there is time for it. */
const LATENCY = 50;
const PATIENCE = 90_000;

test('the first load of a live run is copied in parts by all nodes, also when the one that follows dies in the middle', async (t) => {
  const source = await startLogDatabase();
  const target = await newDatabase(source.server.url);
  const way = await startChaosProxy({ host: target.config.host, port: target.config.port ?? 5432 });
  const place = await preparedPlace('postgres');
  const cluster = new Cluster(place, { SYNCLINE_SPLIT_ROWS: '8000', SYNCLINE_MAX_RUNS: '2' });
  const own = new pg.Client({ connectionString: place.databaseUrl });
  await own.connect();
  t.after(async () => {
    await cluster.killAll();
    await own.end();
    await place.remove();
    await way.close();
    await target.close();
    await source.close();
  });
  const nodes = await cluster.startMany(2);
  const service = callerOf(cluster);
  await source.run(`create table items (id int primary key, v text); create table small (id int primary key, v text);
    insert into items select n, md5(n::text) from generate_series(1, ${ROWS}) n; analyze items`);
  way.latency = LATENCY;
  const { id }: Body = await ask(service, 'POST', '/sync', {
    name: 'large',
    source_id: await addSource(service, 'postgres', source.config, 'source'),
    target_id: await addSource(service, 'postgres', { ...target.config, port: way.port }, 'target'),
    streams: ['items', 'small'].map((name) => ({ source: `public.${name}`, mode: 'cdc' })),
  });
  /** The processes that copy parts, other than the one that has the run. */
  const helpers = async (): Promise<number> =>
    (
      await own.query(`select 1 from run_parts p join nodes n on n.id = p.node
        where p.status = 'running' and p.node not in (select node from runs where node is not null and live = 1)`)
    ).rows.length;
  await until('another node to help', async () => (await helpers()) > 0, PATIENCE);
  assert.equal((await own.query(`select 1 from runs where live = 0`)).rows.length, 0);
  // Meanwhile the others are live, and rows change in parts that are copied, and in those that are still to be.
  await source.run(
    `insert into small values (1, 'a'); update items set v = 'new' where id % 1000 = 0; delete from items where id % 1000 = 1; insert into items values (-1, 'first'), (${ROWS + 1}, 'last')`,
  );
  await until('the small one', async () => (await target.rows('select id from small').catch(() => [])).length === 1, PATIENCE);
  const pid = Number((await own.query(`select n.pid from runs r join nodes n on n.id = r.node where r.live = 1`)).rows[0]?.pid);
  const victim = nodes.find((node) => node.pid === pid);
  assert.ok(victim, `there is no node ${pid}`);
  await cluster.kill(victim);
  way.latency = 0;
  const digest = 'select count(*), md5(string_agg(md5(t::text), $$$$ order by id)) from items t';
  const same = async (): Promise<boolean> => {
    const found = await target.rows(digest).catch(() => undefined);
    return JSON.stringify(found) === JSON.stringify(await source.rows(digest));
  };
  await until('the large one', same, PATIENCE);
  await until('all to be live', async () => (await ask(service, 'GET', `/sync/${id}`)).health === 'synced', PATIENCE);
  await source.run(`update items set v = 'live' where id = 7`);
  await until('the last change', same, PATIENCE);
  assert.equal((await own.query('select 1 from run_parts')).rows.length, 0);
});
