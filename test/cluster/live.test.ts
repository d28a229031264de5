import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChaosProxy, startChaosProxy } from '../support/chaos-proxy.ts';
import { Cluster } from '../support/cluster.ts';
import { preparedPlace } from '../support/databases.ts';
import { newDatabase } from '../support/postgres-database.ts';
import { startLogDatabase } from '../support/postgres-log.ts';
import { addSource, ask, type Body } from '../support/real-syncs.ts';
import { until } from '../support/until.ts';
import { callerOf } from './caller.ts';

const TAKEN_OVER_WITHIN = 10_000;

test('live runs are shared between nodes, taken over within 10 seconds, and leave nothing at a source that was away', async (t) => {
  const source = await startLogDatabase();
  const target = await newDatabase(source.server.url);
  const way: ChaosProxy = await startChaosProxy({ host: source.config.host, port: source.config.port ?? 5432 });
  const place = await preparedPlace('postgres');
  const cluster = new Cluster(place);
  t.after(async () => {
    await cluster.killAll();
    await place.remove();
    await way.close();
    await target.close();
    await source.close();
  });
  const nodes = await cluster.startMany(2);
  const service = callerOf(cluster);
  const ends = {
    source_id: await addSource(service, 'postgres', { ...source.config, port: way.port }, 'source'),
    target_id: await addSource(service, 'postgres', target.config, 'target'),
  };
  const made: Body[] = [];
  for (const name of ['a', 'b', 'c', 'd']) {
    await source.run(`create table ${name} (id int primary key)`);
    const streams = [{ source: `public.${name}`, mode: 'cdc' }];
    made.push(await ask(service, 'POST', '/sync', { name, ...ends, streams }));
  }
  const areLive = (): Promise<unknown> =>
    until('all to be live', async () => {
      const found: Body[] = await Promise.all(made.map(({ id }) => ask(service, 'GET', `/sync/${id}`)));
      return found.every(({ health, current_run: run }) => health === 'synced' && run?.live);
    });
  await areLive();
  const { data: shown }: Body = (await service.call('GET', '/api/v1/nodes')).body;
  // Two each, but for a node that does not take its share within half a second: then the other one does.
  const shares: number[] = shown.map(({ runs }: Body) => runs.length);
  assert.deepEqual([shares.reduce((sum, n) => sum + n, 0), Math.min(...shares) > 0], [4, true], `each has some: ${shares.join(' and ')}`);

  const [first] = nodes;
  assert.ok(first);
  await cluster.kill(first);
  const killed = performance.now();
  for (const name of ['a', 'b', 'c', 'd']) await source.run(`insert into ${name} values (1)`);
  for (const name of ['a', 'b', 'c', 'd'])
    await until(`the row of ${name}`, async () => (await target.rows(`select id from ${name}`)).length === 1);
  const took = performance.now() - killed;
  t.diagnostic(`taken over after ${Math.round(took)} ms`);
  assert.ok(took < TAKEN_OVER_WITHIN, `it took ${took} ms`);
  await areLive();

  const slots = (): Promise<unknown[]> => source.rows('select 1 from pg_replication_slots');
  assert.equal((await slots()).length, 4);
  await way.shut();
  for (const { id } of made) await ask(service, 'DELETE', `/sync/${id}`);
  await until('the release to fail', async () => {
    const { text } = await service.call('GET', '/api/v1/datasync/metrics', { headers: { accept: 'text/plain' } });
    const logged: Body[] = await ask(service, 'GET', '/logs?q=Not%20released');
    return /syncline_log_releases_open 4/.test(text) && logged.length === 4;
  });
  await way.heal();
  await until('the source to have forgotten them', async () => (await slots()).length === 0);
});
