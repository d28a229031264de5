import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDatabase } from '../../src/db/open.ts';
import { sql } from '../../src/db/sql.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { createLog } from '../../src/lib/log.ts';
import { runStatement } from '../support/commands.ts';
import { preparedPlace, onEitherEngine, type Place } from '../support/databases.ts';
import { addSource, ask, madeUp, reaches, sqliteFile } from '../support/real-syncs.ts';
import { type Service, startService } from '../support/service.ts';
import { until } from '../support/until.ts';

// oxlint-disable-next-line no-explicit-any -- as the API answers
type Run = any;

/** A run is in the queue soon after its time, if not at once: the tests have the machine to share. */
const LATE = 5_000;
const EVERY_SECOND = { type: 'interval', every: '1s' };

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

/** When each run was due and when it was noticed, in the order of time; with those that were skipped. */
async function slotsOf({ app }: Service, syncId: string): Promise<{ slot: number; created: number }[]> {
  const rows = await app.db.read.all<{ slot: string; created_at: string }>(
    sql`select slot, created_at from runs where sync_id = ${syncId} order by slot`,
  );
  return rows.map((row) => ({ slot: Date.parse(row.slot), created: Date.parse(row.created_at) }));
}

/** Slots of every second are at whole ones. A slot that is fired twice would be there twice, or beside a whole second. */
async function onceInASecond(service: Service, syncId: string, least: number): Promise<void> {
  const runs = await slotsOf(service, syncId);
  const slots = runs.map(({ slot }) => slot);
  assert.ok(slots.length >= least, `${slots.length} slots`);
  assert.deepEqual([...new Set(slots)], slots, 'no slot twice');
  assert.deepEqual(
    slots.filter((slot) => slot % 1000 !== 0),
    [],
    'at whole seconds',
  );
  for (const { slot, created } of runs) assert.ok(created >= slot && created < slot + LATE, `the slot ${slot} was noticed at ${created}`);
}

/** Waits until another synchronization, of every second, has run twice more: by then the node has looked at all that is due. */
async function twoMoreSlots(service: Service, neighbour: string): Promise<void> {
  const before = (await slotsOf(service, neighbour)).length;
  await until('two more slots', async () => (await slotsOf(service, neighbour)).length >= before + 2);
}

function startIn(place: Place, engine: 'sqlite' | 'postgres', clock?: () => number): Promise<Service> {
  return startService(engine, { place, environment: { SYNCLINE_FILE_ROOTS: join(place.dataDir, 'files') }, ...(clock && { clock }) });
}

onEitherEngine('schedules', (engine) => {
  let place: Place;
  let service: Service;
  before(async () => {
    place = await preparedPlace(engine);
    service = await startIn(place, engine);
  });
  after(async () => {
    await service.close();
    await place.remove();
  });

  test('an interval and a cron expression run when their time has come, each slot once', async () => {
    const neighbour = await addScheduled(service, place, EVERY_SECOND);
    const ids: string[] = [];
    for (const schedule of [EVERY_SECOND, { type: 'cron', expression: '* * * * * *' }])
      ids.push(await addScheduled(service, place, schedule));
    for (const id of ids) {
      const runs = await until('three runs', async () => {
        const ended = (await runsOf(service, id)).filter(({ status }) => status === 'succeeded');
        return ended.length >= 3 && ended;
      });
      for (const { trigger } of runs) assert.equal(trigger, 'schedule');
      await onceInASecond(service, id, 3);
      const last = (await slotsOf(service, id)).at(-1)?.slot ?? 0;
      const next = Date.parse((await ask(service, 'GET', `/sync/${id}`)).next_run_at);
      assert.ok(next % 1000 === 0 && next > last && next < last + LATE, `the next one is at ${next}, the last one was at ${last}`);
      await ask(service, 'POST', `/sync/${id}/pause`);
    }
    const before = await Promise.all(ids.map((id) => slotsOf(service, id)));
    await twoMoreSlots(service, neighbour);
    assert.deepEqual(await Promise.all(ids.map((id) => slotsOf(service, id))), before, 'nothing runs when paused');
    await ask(service, 'POST', `/sync/${neighbour}/pause`);
  });

  test('a run that comes due while one is going on is skipped, and says so', async () => {
    const hanging = madeUp({ fail: [{ at: 'read', kind: 'transient', hang: true }] });
    const id = await addScheduled(service, place, EVERY_SECOND, hanging);
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
    const neighbour = await addScheduled(service, place, EVERY_SECOND);
    const yearly = { type: 'cron', expression: '0 0 1 1 *', timezone: 'UTC' };
    const id = await addScheduled(service, place, yearly);
    const { next_run_at } = await ask(service, 'GET', `/sync/${id}`);
    await service.close();
    const db = await openDatabase({ ...place, poolSize: 1 }, createLog('silent'));
    // As if it had been away over three turns of the year. Its next regular slot is too far off to be taken for one that was made up for.
    await db.write(runStatement, `update sync_state set next_run_at = '2023-01-01T00:00:00.000Z' where sync_id = '${id}'`);
    await db.close();
    service = await startIn(place, engine);
    await until('the run', async () => (await runsOf(service, id))[0]?.status === 'succeeded');
    await twoMoreSlots(service, neighbour);
    assert.deepEqual(
      (await runsOf(service, id)).map(({ status, trigger }) => [status, trigger]),
      [['succeeded', 'schedule']],
    );
    assert.equal((await ask(service, 'GET', `/sync/${id}`)).next_run_at, next_run_at);
    await ask(service, 'POST', `/sync/${neighbour}/pause`);
  });
});

describe('schedules on two nodes', () => {
  test('each slot runs once, whichever node notices it', async (t) => {
    const place = await preparedPlace('postgres');
    const nodes = [await startIn(place, 'postgres'), await startIn(place, 'postgres')];
    t.after(async () => {
      for (const node of nodes) await node.close();
      await place.remove();
    });
    const [one] = nodes as [Service];
    const id = await addScheduled(one, place, EVERY_SECOND);
    await until('four runs', async () => (await runsOf(one, id)).filter(({ status }) => status === 'succeeded').length >= 4);
    // A run that takes its time lets the next be skipped, rightly; a slot that both nodes fire would be there twice.
    await onceInASecond(one, id, 4);
  });
});

// The last one: ids never go back in time within a process.
describe('schedules with a clock that is turned', () => {
  test('after hours away, one run; the next is at the next slot, not hours of them', async (t) => {
    const place = await preparedPlace('sqlite');
    let now = Date.parse('2036-11-15T08:03:00.000Z');
    const service = await startIn(place, 'sqlite', () => now);
    t.after(async () => {
      await service.close();
      await place.remove();
    });
    const id = await addScheduled(service, place, { type: 'cron', expression: '*/15 * * * *', timezone: 'Europe/Berlin' });
    assert.equal((await ask(service, 'GET', `/sync/${id}`)).next_run_at, '2036-11-15T08:15:00.000Z');
    // Its runs show that the node has looked at what is due.
    const neighbour = await addScheduled(service, place, { type: 'cron', expression: '10,20 8,11 * * *', timezone: 'UTC' });
    const looks = (times: number) => until('a look at what is due', async () => (await runsOf(service, neighbour)).length === times);
    now = Date.parse('2036-11-15T08:14:59.999Z');
    await looks(1);
    assert.deepEqual(await runsOf(service, id), []);
    now = Date.parse('2036-11-15T11:16:00.000Z');
    const [run] = await until('the run', async () => {
      const runs = await runsOf(service, id);
      return runs[0]?.status === 'succeeded' && runs;
    });
    assert.equal(run.created_at, isoTime(now));
    assert.equal((await ask(service, 'GET', `/sync/${id}`)).next_run_at, '2036-11-15T11:30:00.000Z');
    now = Date.parse('2036-11-15T11:29:59.999Z');
    await looks(3);
    assert.equal((await runsOf(service, id)).length, 1);
  });
});
