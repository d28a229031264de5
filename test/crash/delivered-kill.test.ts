import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sendJson, startApi } from '../support/api-server.ts';
import { preparedPlace } from '../support/databases.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { ask, addSource, type Body, type Caller } from '../support/real-syncs.ts';
import { callService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { withSeed } from './random.ts';

const KILLS = Math.max(2, Number(process.env['CRASHES'] ?? 0) / 10);
const ROWS = 200;
const PATIENCE = 180_000;
const FINAL = new Set(['succeeded', 'partial', 'failed', 'cancelled', 'skipped', 'needs_approval']);

test(`an API that cannot be read, the service killed ${KILLS} times when it has accepted something: it has what the source has`, (context) =>
  withSeed(async (random) => {
    const place = await preparedPlace('sqlite');
    const path = join(place.dataDir, 'files', 'things.db');
    mkdirSync(join(place.dataDir, 'files'));
    const table = new DatabaseSync(path);
    table.exec(`pragma journal_mode = wal; create table things (id integer primary key, v text not null);
      with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS}) insert into things select i, 'first' from n`);
    const rows = (): string[] =>
      table
        .prepare('select id, v from things order by id')
        .all()
        .map(({ id, v }) => `${String(id)} ${String(v)}`);

    const records = new Map<number, string>();
    let service: ServiceProcess | undefined;
    let killAfter = Number.POSITIVE_INFINITY;
    const api = await startApi(async ({ method, url, body }, response) => {
      const id = Number(url.pathname.split('/').at(-1));
      if (method === 'DELETE') records.delete(id);
      else records.set(id, (JSON.parse(body) as { v: string }).v);
      // It is done, and the service dies before it hears of it.
      if (killAfter-- <= 0) await service?.kill();
      sendJson(response, {});
    });
    const kept = (): string[] => [...records].sort(([one], [other]) => one - other).map(([id, v]) => `${id} ${v}`);

    const caller: Caller = {
      call: (method, at, options = {}) => callService(service?.url ?? '', service?.adminKey ?? '', method, at, options),
    };
    const lastRun = async (id: string): Promise<Body> => (await ask(caller, 'GET', `/sync/${id}/runs?limit=1`))[0];
    const untilOver = (id: string): Promise<Body> =>
      until('the end of the run', async () => {
        const run = await lastRun(id);
        return FINAL.has(run.status) && run;
      }, PATIENCE); // biome-ignore format: short
    const runOnce = async (id: string): Promise<Body> => {
      await untilOver(id);
      await ask(caller, 'POST', `/sync/${id}/runs`, {});
      return untilOver(id);
    };
    try {
      service = await startProcess(place);
      const write = { modes: ['upsert'], method: 'PUT', path: '/things/{id}', delete_path: '/things/{id}', parallel: 4 };
      const source_id = await addSource(caller, 'sqlite', { path });
      const target_id = await addSource(caller, 'http', { base_url: api.url, streams: [{ name: 'things', key: ['id'], write }] });
      const streams = [{ source: 'things', target: 'things', mode: 'mirror' }];
      const { id } = await ask(caller, 'POST', '/sync', { name: 'things', source_id, target_id, streams, schedule: { type: 'manual' } });
      await ask(caller, 'POST', `/sync/${id}/runs`, {});
      assert.equal((await untilOver(id)).status, 'succeeded');
      assert.deepEqual(kept(), rows());
      for (let kill = 0; kill < KILLS; kill++) {
        const before = new Map(
          table
            .prepare('select id, v from things')
            .all()
            .map((row) => [Number(row['id']), String(row['v'])]),
        );
        const gone = [...before.keys()].filter(() => random() < 0.03);
        table.exec(`update things set v = 'kill ${kill}' where id % 3 = ${kill % 3}; delete from things where id in (${gone.join()})`);
        const changes = rows().filter((row) => row.endsWith(`kill ${kill}`)).length + gone.length;
        killAfter = Math.floor(random() * changes);
        await ask(caller, 'POST', `/sync/${id}/runs`, {});
        await service.ended;
        killAfter = Number.POSITIVE_INFINITY;
        // While nobody looks, half of the rows become again what they were.
        const put = table.prepare('insert into things values (?, ?) on conflict (id) do update set v = excluded.v');
        for (const [of, v] of before) if (random() < 0.5) put.run(of, v);
        service = await startProcess(place);
        await untilOver(id);
        const run = await runOnce(id);
        assert.equal(run.status, 'succeeded', JSON.stringify(run));
        assert.deepEqual(kept(), rows());
      }
      const asked = api.received.length;
      const last = await runOnce(id);
      assert.deepEqual([api.received.length, last.totals.unchanged], [asked, rows().length]);
      context.diagnostic(`${asked} requests, ${rows().length} rows, ${KILLS} kills`);
    } finally {
      await service?.kill();
      await api.close();
      table.close();
      await place.remove();
    }
  }));
