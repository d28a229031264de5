import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteFile } from '../../src/db/open.ts';
import { type Place, preparedPlace } from '../support/databases.ts';
import { newDatabase, type TestDatabase } from '../support/postgres-database.ts';
import type { ServiceProcess } from '../../src/cli/prove/service-process.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Body, type Caller } from '../support/real-syncs.ts';
import { callService } from '../support/service.ts';
import { until } from '../support/until.ts';

const LONG_AGO = '2000-01-01T00:00:00.000Z';

/** A service that is killed, between two databases that are not. */
export interface ProofWorld {
  readonly place: Place;
  readonly caller: Caller;
  readonly source: TestDatabase;
  readonly target: TestDatabase;
  /** Makes a synchronization of the table `t`. */
  sync(more?: object, round?: number): Promise<string>;
  /** Starts a run, and answers its id. */
  start(syncId: string, mode: string): Promise<string>;
  over(runId: string): Promise<Body>;
  /** The run from its beginning to its end. */
  done(syncId: string, mode: string): Promise<Body>;
  /** `kill -9` after a while, and a new start. What the dead one had claimed is free at once, as if its lease had run out. */
  killAfter(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** @param environment settings of the service. */
export async function proofWorld(environment: Record<string, string> = {}): Promise<ProofWorld> {
  const place: Place = await preparedPlace('sqlite');
  const [source, target] = await Promise.all([newDatabase(), newDatabase()]);
  let service: ServiceProcess = await startProcess(place, { environment });
  const caller: Caller = { call: (method, path, options = {}) => callService(service.url, service.adminKey, method, path, options) };
  const over = (runId: string): Promise<Body> =>
    until(`the run ${runId} to be over`, async () => {
      const run = await ask(caller, 'GET', `/runs/${runId}`);
      return run.finished_at === null ? undefined : run;
    });
  const start = async (syncId: string, mode: string): Promise<string> => (await ask(caller, 'POST', `/sync/${syncId}/runs`, { mode })).id;
  return {
    place,
    caller,
    source,
    target,
    start,
    over,
    done: async (syncId, mode) => over(await start(syncId, mode)),
    sync: async (more = {}, round = 0) => {
      const source_id = await addSource(caller, 'postgres', source.config, `from ${round}`);
      const target_id = await addSource(caller, 'postgres', target.config, `to ${round}`);
      const definition = { name: 't', source_id, target_id, streams: [{ source: 'public.t', mode: 'mirror' }], ...more };
      return (await ask(caller, 'POST', '/sync', definition)).id;
    },
    killAfter: async (milliseconds) => {
      await sleep(milliseconds);
      await service.kill();
      await endOfSessions(target);
      const own = new DatabaseSync(sqliteFile(place.dataDir));
      own.exec(`update runs set lease_until = '${LONG_AGO}' where status = 'running'; update sync_state set undo_until = '${LONG_AGO}'`);
      own.close();
      service = await startProcess(place, { environment });
    },
    close: async () => {
      await service.kill();
      await place.remove();
      await Promise.all([source.close(), target.close()]);
    },
  };
}

/** What the dead process had sent is still carried out, or taken back. */
async function endOfSessions(database: TestDatabase): Promise<void> {
  await until('what it did to be over', async () => {
    const rows = await database.rows(
      `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
    return rows.length === 0;
  });
}
