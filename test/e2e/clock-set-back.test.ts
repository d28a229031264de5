import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import { clockOff } from '../support/cluster-clock.ts';
import { createPlace, type Place } from '../support/databases.ts';
import { startProcess } from '../support/process.ts';
import { addSource, ask, type Body, type Caller, reaches, sqliteFile } from '../support/real-syncs.ts';
import { callService, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

// On SQLite the clock of the machine is the clock of all. It was two hours ahead and is set right: schedules and retries go on.

const AHEAD = 7200;
/** Far less than the two hours that the clock was ahead, and far more than a loaded machine needs. */
const SOON = 60_000;

describe('the clock of the machine is set back', { timeout: 240_000 }, () => {
  interface World {
    every: string;
    retrying: string;
    held: DatabaseSync;
  }

  /** One that runs every second, and a run that waits for its next try. */
  const setUp = async (service: Caller, place: Place): Promise<World> => {
    const from = sqliteFile(place, 'from.db');
    const db = new DatabaseSync(from);
    db.exec('create table t (id integer primary key); insert into t values (1)');
    db.close();
    const target_id = await addSource(service, 'sqlite', { path: sqliteFile(place, 'to.db') });
    const schedule = { type: 'interval', every: '1s' };
    const source_id = await addSource(service, 'sqlite', { path: from });
    const { id: every } = await ask(service, 'POST', '/sync', {
      name: 'every',
      source_id,
      target_id,
      schedule,
      streams: [{ source: 't' }],
    });
    // As long as another process holds the file, a run has to be tried again.
    const path = sqliteFile(place, 'held.db');
    const held = new DatabaseSync(path);
    held.exec('create table t (id integer primary key)');
    const ends = { source_id: await addSource(service, 'sqlite', { path, busy_timeout_ms: 1 }), target_id };
    const sync = await ask(service, 'POST', '/sync', { name: 'held', ...ends, streams: [{ source: 't', target: 'held' }] });
    held.exec('begin exclusive');
    const { id: retrying } = await ask(service, 'POST', `/sync/${sync.id}/runs`);
    const run = await reaches(service, retrying, 'retrying', SOON);
    assert.ok(Date.parse(run.next_attempt_at) > Date.now() + (AHEAD - 60) * 1000, run.next_attempt_at);
    await until('a run of the schedule', async () => (await runsOf(service, every)).length > 1, SOON);
    return { every, retrying, held };
  };
  const runsOf = (service: Caller, id: string): Promise<Body[]> => ask(service, 'GET', `/sync/${id}/runs?limit=1000`);

  const goesOn = async (service: Caller, { every, retrying, held }: World): Promise<void> => {
    const { attempt } = await ask(service, 'GET', `/runs/${retrying}`);
    const known = new Set((await runsOf(service, every)).map(({ id }) => id));
    const isNow = (time: string | null): boolean => time !== null && Math.abs(Date.parse(time) - Date.now()) < SOON;
    await until(
      'the schedule to go on',
      async () => {
        const fresh = (await runsOf(service, every)).filter(({ id, status }) => !known.has(id) && status === 'succeeded');
        return fresh.filter(({ finished_at }) => isNow(finished_at)).length > 1;
      },
      SOON,
    );
    await until('the run to be tried again', async () => (await ask(service, 'GET', `/runs/${retrying}`)).attempt > attempt, SOON);
    held.close();
    const sync = await ask(service, 'GET', `/sync/${every}`);
    assert.ok(isNow(sync.next_run_at), sync.next_run_at);
    assert.ok(isNow(sync.last_run.finished_at), 'the last run is one of now, and the health goes by it');
  };

  test('while it works', async () => {
    let ahead = AHEAD * 1000;
    const service = await startService('sqlite', { clock: () => Date.now() + ahead });
    const those = await setUp(service, service.place);
    ahead = 0;
    await goesOn(service, those);
    const told: Body[] = await ask(service, 'GET', `/logs?sync_id=${those.every}&level=warn&q=clock`);
    assert.match(told[0]?.message ?? '', /^The clock was ahead and was set right: the next run, which was due at .* is due at /);
    await service.close();
  });

  test('while it was off, killed', async () => {
    const place = await createPlace('sqlite');
    const first = await startProcess(place, { environment: clockOff(AHEAD) });
    const caller = ({ url, adminKey }: { url: string; adminKey: string }): Caller => ({
      call: (method, path, options = {}) => callService(url, adminKey, method, path, options),
    });
    const those = await setUp(caller(first), place);
    await first.kill();
    const second = await startProcess(place);
    await goesOn(caller(second), those);
    await second.stop();
    await place.remove();
  });
});
