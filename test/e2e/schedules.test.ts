import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { isoTime } from '../../src/lib/clock.ts';
import { createPlace, onBothEngines, type Place } from '../support/databases.ts';
import { addSource, ask, madeUp, reaches, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

// oxlint-disable-next-line no-explicit-any -- as the API answers
type Run = any;

let files = 0;

async function addScheduled(service: Service, place: Place, schedule: unknown, source: unknown = madeUp()): Promise<string> {
  const target = await addSource(service, 'sqlite', { path: sqliteFile(place, `${files++}.db`) });
  const from = await addSource(service, 'fake', source);
  const sync = { name: 'scheduled', source_id: from, target_id: target, streams: [{ source: 't' }], schedule };
  return (await ask(service, 'POST', '/sync', sync)).id;
}

async function runsOf(service: Service, syncId: string): Promise<Run[]> {
  return (await ask(service, 'GET', `/sync/${syncId}/runs?limit=100`)).toReversed();
}

/** Slots of every second are at whole ones; with those that were skipped, as a slot that is fired twice shows there. */
function onceInASecond(runs: readonly Run[]): void {
  const seconds = runs.map(({ created_at }) => Math.floor(Date.parse(created_at) / 1000));
  assert.deepEqual([...new Set(seconds)], seconds, 'one in a second');
}

function startIn(place: Place, engine: 'sqlite' | 'postgres', clock?: () => number): Promise<Service> {
  return startService(engine, { place, environment: { SYNCLINE_FILE_ROOTS: join(place.dataDir, 'files') }, ...(clock && { clock }) });
}

onBothEngines('schedules', (engine) => {
  let place: Place;
  let service: Service;
  before(async () => {
    place = await createPlace(engine);
    service = await startIn(place, engine);
  });
  after(async () => {
    await service.close();
    await place.remove();
  });

  test('an interval and a cron expression run when their time has come, each slot once', async () => {
    const schedules = [
      { type: 'interval', every: '1s' },
      { type: 'cron', expression: '* * * * * *' },
    ];
    const ids: string[] = [];
    for (const schedule of schedules) ids.push(await addScheduled(service, place, schedule));
    for (const id of ids) {
      const runs = await until('three runs', async () => {
        const ended = (await runsOf(service, id)).filter(({ status }) => status === 'succeeded');
        return ended.length >= 3 && ended;
      });
      onceInASecond(runs);
      for (const { trigger, created_at } of runs) {
        assert.equal(trigger, 'schedule');
        assert.ok(Date.parse(created_at) % 1000 < 500, `${created_at} is soon after the second`);
      }
      const { next_run_at } = await ask(service, 'GET', `/sync/${id}`);
      assert.ok(Math.abs(Date.parse(next_run_at) - Date.now()) <= 1500, next_run_at);
      await ask(service, 'POST', `/sync/${id}/pause`);
    }
    const before = (await Promise.all(ids.map((id) => runsOf(service, id)))).flat().length;
    await sleep(1500);
    assert.equal((await Promise.all(ids.map((id) => runsOf(service, id)))).flat().length, before, 'nothing runs when paused');
  });

  test('a run that comes due while one is going on is skipped, and says so', async () => {
    const hanging = madeUp({ fail: [{ at: 'read', kind: 'transient', hang: true }] });
    const id = await addScheduled(service, place, { type: 'interval', every: '1s' }, hanging);
    const [first, second] = await until('a skipped run', async () => {
      const runs = await runsOf(service, id);
      return runs.some(({ status }) => status === 'skipped') && runs;
    });
    assert.equal(first.status, 'running');
    assert.equal(second.status, 'skipped');
    assert.match(second.error.message, new RegExp(`${first.id} is still going on`));
    await ask(service, 'POST', `/sync/${id}/pause`);
    await ask(service, 'POST', `/runs/${first.id}/cancel`);
    await reaches(service, first.id, 'cancelled');
  });

  test('slots that were missed while nothing ran are made up for once', async () => {
    const id = await addScheduled(service, place, { type: 'interval', every: '1s' });
    await until('a run', async () => (await runsOf(service, id)).length > 0);
    await service.close();
    const stoppedAt = Date.now();
    await sleep(3200);
    service = await startIn(place, engine);
    const startedAt = Date.now();
    await until('a run', async () => (await runsOf(service, id)).some(({ created_at }) => Date.parse(created_at) >= startedAt - 500));
    const made = (await runsOf(service, id)).filter(({ created_at }) => Date.parse(created_at) > stoppedAt);
    const soon = made.filter(({ created_at }) => Date.parse(created_at) < startedAt + 1000);
    assert.ok(soon.length <= 2, `${soon.length} runs: the missed ones as one, and perhaps the next`);
    await ask(service, 'POST', `/sync/${id}/pause`);
  });
});

describe('schedules on two nodes', () => {
  test('each slot runs once, whichever node notices it', async (t) => {
    const place = await createPlace('postgres');
    const nodes = [await startIn(place, 'postgres'), await startIn(place, 'postgres')];
    t.after(async () => {
      for (const node of nodes) await node.close();
      await place.remove();
    });
    const [one] = nodes as [Service];
    const id = await addScheduled(one, place, { type: 'interval', every: '1s' });
    await until('four runs', async () => (await runsOf(one, id)).filter(({ status }) => status === 'succeeded').length >= 4, 30_000);
    // A run that takes its time lets the next be skipped, rightly; a slot that both nodes fire would be there twice.
    onceInASecond(await runsOf(one, id));
  });
});

// The last one: ids never go back in time within a process.
describe('schedules with a clock that is turned', () => {
  test('after hours away, one run; the next is at the next slot, not hours of them', async (t) => {
    const place = await createPlace('sqlite');
    let now = Date.parse('2036-11-15T08:03:00.000Z');
    const service = await startIn(place, 'sqlite', () => now);
    t.after(async () => {
      await service.close();
      await place.remove();
    });
    const id = await addScheduled(service, place, { type: 'cron', expression: '*/15 * * * *', timezone: 'Europe/Berlin' });
    assert.equal((await ask(service, 'GET', `/sync/${id}`)).next_run_at, '2036-11-15T08:15:00.000Z');
    await sleep(600);
    assert.deepEqual(await runsOf(service, id), []);
    now = Date.parse('2036-11-15T11:16:00.000Z');
    const [run] = await until('the run', async () => {
      const runs = await runsOf(service, id);
      return runs[0]?.status === 'succeeded' && runs;
    });
    assert.equal(run.created_at, isoTime(now));
    assert.equal((await ask(service, 'GET', `/sync/${id}`)).next_run_at, '2036-11-15T11:30:00.000Z');
    await sleep(600);
    assert.equal((await runsOf(service, id)).length, 1);
  });
});
