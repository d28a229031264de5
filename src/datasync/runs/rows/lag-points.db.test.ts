import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lag } from '../../../engine/run.ts';
import { isoTime } from '../../../lib/clock.ts';
import { onBothEnginesWithRuns, report } from '../../../../test/support/run-driver.ts';
import { addSync, streamOf } from '../../../../test/support/sync-fixture.ts';
import { measure } from '../../metrics/metrics.ts';
import { beat } from '../queue/beat.ts';
import { fireWanted } from '../queue/fire.ts';
import { readLagPoints } from './lag-points.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOON = Date.parse('2026-11-01T12:00:00.000Z');

onBothEnginesWithRuns('lags over time', ({ db, runs }) => {
  const begin = async () => {
    const syncId = await addSync(db, { streams: [{ ...streamOf('t'), mode: 'cdc' }], schedule: { type: 'on_change' } });
    await db.write(fireWanted, { now: runs.now, syncIds: [syncId] });
    const claimed = (await runs.claimLive({ most: 100 })).find(({ sync }) => sync.id === syncId);
    assert.ok(claimed);
    const { run, sync } = claimed;
    const tell = async (at: number, seconds: number, bytes: number | null = null, token = sync.token): Promise<void> => {
      const lag: Lag = { seconds, bytes, bytes_per_second: null, at: isoTime(at) };
      await db.write(beat, {
        now: runs.now,
        runs: [{ id: run.id, token, leaseMs: 7_000, report: [report('t', 'running', { live: 'live' })], lag }],
      });
    };
    return { syncId, tell };
  };

  test('the largest of each minute and each half-hour is kept', async () => {
    const { syncId, tell } = await begin();
    for (const [second, seconds] of [1, 4.5, 3, 0].entries()) await tell(NOON + second * 2000, seconds, 1000 - second);
    await tell(NOON + MINUTE, 0.25);
    await tell(NOON + MINUTE + 2000, 0.25, 7);
    const point = (at: number, lag_ms: number, bytes: number) => ({ at: isoTime(at), lag_ms, bytes });
    assert.deepEqual(await readLagPoints(db.read, syncId, NOON, MINUTE), [point(NOON, 4500, 1000), point(NOON + MINUTE, 250, 7)]);
    assert.deepEqual(await readLagPoints(db.read, syncId, NOON, HOUR), [point(NOON, 4500, 1000)]);
  });

  test('minutes are forgotten after two hours, half-hours after a month; others keep theirs', async () => {
    const [{ syncId, tell }, other] = [await begin(), await begin()];
    await tell(NOON, 1);
    await other.tell(NOON, 2);
    await tell(NOON + 3 * HOUR, 3);
    assert.deepEqual(
      (await readLagPoints(db.read, syncId, 0, MINUTE)).map(({ lag_ms }) => lag_ms),
      [3000],
    );
    assert.deepEqual(
      (await readLagPoints(db.read, syncId, 0, HOUR)).map(({ lag_ms }) => lag_ms),
      [1000, 3000],
    );
    await tell(NOON + 32 * 24 * HOUR, 4);
    assert.deepEqual(
      (await readLagPoints(db.read, syncId, 0, HOUR)).map(({ lag_ms }) => lag_ms),
      [4000],
    );
    assert.equal((await readLagPoints(db.read, other.syncId, 0, MINUTE)).length, 1);
  });

  test('a worker that is fenced tells nothing', async () => {
    const { syncId, tell } = await begin();
    await tell(NOON, 9, null, 0);
    assert.deepEqual(await readLagPoints(db.read, syncId, 0, MINUTE), []);
  });

  test('the metrics of one synchronization have them over time, with null where nothing was told', async () => {
    const { syncId, tell } = await begin();
    await tell(NOON - 2 * HOUR, 8, 10);
    await tell(NOON - 2 * HOUR + 31 * MINUTE, 5, 20);
    await tell(NOON, 2);
    const asked = async (window: '1h' | '7d') => {
      const metrics = await db.write(measure, { window, now: NOON + 1, syncId, memory: 'm' });
      return metrics?.series.slice(-2).map(({ lag_seconds, retained_bytes }) => [lag_seconds, retained_bytes]);
    };
    assert.deepEqual(await asked('1h'), [
      [null, null],
      [2, null],
    ]);
    assert.deepEqual(await asked('7d'), [
      [8, 20],
      [2, null],
    ]);
  });
});
