import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { event, FRESH, outcome, TIMES } from '../../../test/support/lane-fixture.ts';
import type { KnownRow, Parcel } from './parcel.ts';
import { Lane, type LaneLimits, type LaneState } from './lane.ts';
import { FAILURES_THAT_OPEN } from './schedule.ts';

function laneOf(limits: Partial<LaneLimits> = {}, state: Partial<LaneState> = {}): Lane {
  const all = { ...FRESH, lastDeliveredAt: 1, ...state };
  return new Lane({ state: all, limits: { maxInFlight: 8, rate: null, ...limits }, timing: TIMES, random: () => 0.5 });
}

function sendAll(lane: Lane, now: number): Parcel[] {
  const sent: Parcel[] = [];
  for (let item = lane.next(now); item; item = lane.next(now)) sent.push(item);
  return sent;
}

test('others pass one that fails, and those of its object wait behind it as rows', () => {
  const lane = laneOf();
  for (const [seq, object] of [
    [1, 'a'],
    [2, 'b'],
    [3, 'a'],
  ] as const)
    lane.take(event(seq, object), 0);
  const [one, two] = sendAll(lane, 5) as [Parcel, Parcel];
  lane.settle(one, outcome(), 5);
  lane.settle(two, outcome({ isDelivered: true }), 5);
  lane.take(event(4, 'a'), 5);
  const changes = lane.changes(false);
  assert.equal(changes?.state.position, 4);
  const rows = changes.rows.map(({ seq, status, attempts, nextAt }) => [seq, status, attempts, nextAt]);
  assert.deepEqual(
    rows.toSorted((one, other) => Number(one[0]) - Number(other[0])),
    [
      [1, 'waiting', 1, 15],
      [2, 'delivered', 1, null],
      [3, 'waiting', 0, null],
      [4, 'waiting', 0, null],
    ],
  );
  assert.deepEqual(sendAll(lane, 14), []);
  assert.equal(lane.wakeAt(14), 15);
  const again = sendAll(lane, 15);
  assert.deepEqual(
    again.map(({ seq }) => seq),
    [1],
  );
  lane.settle(again[0] as Parcel, outcome({ isDelivered: true }), 16);
  assert.deepEqual(
    sendAll(lane, 16).map(({ seq }) => seq),
    [3],
  );
});

test('after the last attempt it is kept as failed, and the next one of the object goes on', () => {
  const lane = laneOf();
  lane.take(event(1, 'a'), 0);
  lane.take(event(2, 'a'), 0);
  let now = 0;
  for (let attempt = 1; attempt <= 4; attempt++) {
    const [item] = sendAll(lane, now) as [Parcel];
    assert.equal(item.seq, 1);
    lane.settle(item, outcome(), now);
    now += 2000;
  }
  const rows = lane.changes(false)?.rows.map(({ seq, status, attempts, log }) => [seq, status, attempts, log.length]);
  assert.deepEqual(rows, [
    [1, 'failed', 4, 4],
    [2, 'waiting', 0, 0],
  ]);
  assert.deepEqual(
    sendAll(lane, now).map(({ seq }) => seq),
    [2],
  );
});

test('an endpoint that only fails is probed by one message at a time, by another one each time, and the first success makes all due', () => {
  const lane = laneOf();
  for (let seq = 1; seq <= 8; seq++) lane.take(event(seq), 0);
  for (const item of sendAll(lane, 0)) lane.settle(item, outcome(), 0);
  assert.ok(lane.isOpen);
  assert.equal(lane.changes(false)?.state.failures, FAILURES_THAT_OPEN, 'those in flight say nothing new');
  assert.deepEqual(sendAll(lane, 9), []);
  const probes: number[] = [];
  let now = 0;
  for (let n = 0; n < 3; n++) {
    now = lane.wakeAt(now) ?? Number.NaN;
    const [probe, ...more] = sendAll(lane, now) as [Parcel];
    assert.deepEqual(more, []);
    probes.push(probe.seq);
    lane.settle(probe, outcome(), now);
  }
  assert.equal(new Set(probes).size, 3);
  assert.equal((lane.wakeAt(now) ?? 0) - now, 80, 'no more seldom than at most');
  now += 80;
  const [probe] = sendAll(lane, now) as [Parcel];
  lane.settle(probe, outcome({ isDelivered: true }), now);
  assert.ok(lane.changes(false)?.isDueAll);
  assert.deepEqual(
    sendAll(lane, now)
      .map(({ seq }) => seq)
      .toSorted((one, other) => one - other),
    [1, 2, 3, 4, 5, 6, 7, 8].filter((seq) => seq !== probe.seq),
  );
});

test('a probe out of its turn uses up none of the attempts', () => {
  const lane = laneOf({}, { failures: FAILURES_THAT_OPEN });
  lane.restore([{ ...event(1), status: 'waiting', attempts: 2, nextAt: 5000 }], 0);
  for (let n = 0; n < 20; n++) lane.settle(lane.next(100 * n) as Parcel, outcome(), 100 * n);
  assert.deepEqual(
    lane.changes(false)?.rows.map(({ status, attempts, nextAt }) => [status, attempts, nextAt]),
    [['waiting', 2, 5000]],
  );
});

test('a receiver that asks for time gets it, for all that is sent to it', () => {
  const lane = laneOf();
  for (let seq = 1; seq <= 3; seq++) lane.take(event(seq), 0);
  lane.settle(lane.next(0) as Parcel, outcome({ status: 429, retryAfter: 300, holdsAll: true }), 0);
  assert.deepEqual(sendAll(lane, 299), []);
  assert.equal(lane.wakeAt(0), 300);
  assert.deepEqual(
    sendAll(lane, 300)
      .map(({ seq }) => seq)
      .toSorted((one, other) => one - other),
    [1, 2, 3],
  );
});

test('410 disables it, and the message is kept', () => {
  const lane = laneOf();
  lane.take(event(1), 0);
  lane.take(event(2), 0);
  lane.settle(lane.next(0) as Parcel, outcome({ status: 410, isGone: true }), 0);
  const changes = lane.changes(false);
  assert.equal(changes?.turn?.status, 'disabled');
  assert.deepEqual(
    changes.rows.map(({ seq, status }) => [seq, status]),
    [[1, 'waiting']],
  );
  assert.equal(lane.next(10_000), undefined);
  assert.equal(lane.wants(), false);
});

test('what has failed for days without a success is paused, with the reason; one success in between begins it anew', () => {
  const fails = laneOf({}, { failures: 9, failingSince: 1, lastDeliveredAt: 1 });
  fails.take(event(1), 0);
  fails.settle(fails.next(TIMES.pauseAfter) as Parcel, outcome(), TIMES.pauseAfter);
  assert.equal(fails.changes(false)?.turn, undefined);
  fails.settle(fails.next(TIMES.pauseAfter + 100) as Parcel, outcome(), TIMES.pauseAfter + 100);
  const { turn } = fails.changes(false) ?? {};
  assert.equal(turn?.status, 'paused');
  assert.match(turn.reason, /failed since 1970-01-01T00:00:00.001Z.*status 500/);
  const heals = laneOf({}, { failures: 9, failingSince: 1, lastDeliveredAt: 1 });
  heals.take(event(1), 0);
  heals.settle(heals.next(10) as Parcel, outcome({ isDelivered: true }), 10);
  heals.take(event(2), 0);
  heals.settle(heals.next(TIMES.pauseAfter + 5) as Parcel, outcome(), TIMES.pauseAfter + 5);
  assert.equal(heals.changes(false)?.turn, undefined);
});

test('no more are sent in a second than the rate allows, and hardly fewer', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 100 }), (rate) => {
      const lane = laneOf({ rate, maxInFlight: 64 });
      let [seq, sent] = [0, 0];
      const seconds = 5;
      for (let now = 1; now <= seconds * 1000; now++) {
        while (lane.wants()) lane.take(event(++seq), now);
        for (const item of sendAll(lane, now)) {
          sent++;
          lane.settle(item, outcome({ isDelivered: true }), now);
        }
        lane.changes(true);
      }
      assert.ok(sent <= seconds * rate + rate / 10 + 2 && sent >= seconds * rate - 2, `${sent} at ${rate}/s`);
    }),
    { numRuns: 20 },
  );
});

test('it takes in no more than it can hold, and its position stops', () => {
  const lane = laneOf({ maxInFlight: 2 });
  let seq = 0;
  while (lane.wants()) lane.take(event(++seq), 0);
  assert.equal(seq, 8);
  const bounded = new Lane({
    state: { ...FRESH, lastDeliveredAt: 1 },
    limits: { maxInFlight: 1, rate: null },
    timing: TIMES,
    random: () => 0.5,
    mostWaiting: 3,
  });
  bounded.restore(
    [1, 2, 3].map((n) => ({ ...event(n), status: 'waiting' as const, attempts: 1, nextAt: 50 })),
    0,
  );
  assert.equal(bounded.wants(), false);
});

test('what is to be sent again goes in its place, but not before one that is under way', () => {
  const lane = laneOf({}, { position: 10 });
  lane.take(event(11, 'a'), 0);
  const [first] = sendAll(lane, 0) as [Parcel];
  lane.take(event(12, 'a'), 0);
  const again = (seq: number): KnownRow => ({ ...event(seq, 'a'), status: 'waiting', attempts: 0, nextAt: 0 });
  lane.restore([again(3), again(5)], 0);
  lane.restore([again(3), again(5)], 0);
  const order: number[] = [];
  for (let item: Parcel | undefined = first; item; item = lane.next(1)) {
    order.push(item.seq);
    lane.settle(item, outcome({ isDelivered: true }), 1);
  }
  assert.deepEqual(order, [11, 3, 5, 12]);
});

test('what the receiver asks to wait for holds, also when an attempt that was under way succeeds', () => {
  const lane = laneOf();
  lane.take(event(1, 'a'), 0);
  lane.take(event(2, 'b'), 0);
  const [one, two] = sendAll(lane, 0) as [Parcel, Parcel];
  lane.settle(one, outcome({ status: 429, retryAfter: 300, holdsAll: true }), 0);
  lane.settle(two, outcome({ isDelivered: true }), 10);
  lane.take(event(3, 'c'), 10);
  assert.deepEqual(sendAll(lane, 299), []);
  assert.equal(lane.changes(false)?.state.tryAt, 300);
  assert.equal(sendAll(lane, 300).length, 2);
});

test('a clock that is set back holds up an even pace for one step at most', () => {
  const lane = laneOf({ rate: 10 });
  for (const seq of [1, 2, 3, 4]) lane.take(event(seq, `o${seq}`), 7_200_000);
  const [first] = sendAll(lane, 7_200_000);
  assert.equal(first?.seq, 1);
  const later = lane.wakeAt(0);
  assert.ok(later !== undefined && later <= 100, String(later));
});

test('what waits is sent at once when its row is due sooner, and one that is under way begins its attempts anew', () => {
  const lane = laneOf();
  const row = (seq: number, known: Partial<KnownRow> = {}): KnownRow => ({
    ...event(seq, 'a'),
    status: 'waiting',
    attempts: 3,
    nextAt: 5000,
    ...known,
  });
  lane.restore([row(1), row(2, { attempts: 0, nextAt: 0 })], 0);
  assert.deepEqual(sendAll(lane, 10), []);
  lane.restore([row(1, { attempts: 0, nextAt: 10 }), row(2, { attempts: 0, nextAt: 10 })], 10);
  const [one] = sendAll(lane, 10) as [Parcel];
  assert.deepEqual([one.seq, one.attempts], [1, 0]);
  lane.settle(one, outcome(), 11);
  lane.changes(false);
  assert.equal(lane.wakeAt(11), 21);
  // Rows as they are known here change nothing.
  lane.restore([row(1, { attempts: 1, nextAt: 21 }), row(2, { attempts: 0, nextAt: 10 })], 12);
  assert.equal(lane.wakeAt(12), 21);
});

test('an endpoint that is only probed, or has asked for time, is tried when a person wants it', () => {
  const lane = laneOf({}, { failures: FAILURES_THAT_OPEN, tryAt: 90_000 });
  lane.restore([{ ...event(1, 'a'), status: 'waiting', attempts: 1, nextAt: 5000 }], 0);
  assert.deepEqual(sendAll(lane, 10), []);
  lane.hurry();
  assert.equal(sendAll(lane, 10).length, 1);
  assert.equal(lane.changes(false)?.state.tryAt, 0);
});

test('what a person wants sent again is sent at once, also when an attempt that failed meanwhile is not written yet', () => {
  const lane = laneOf();
  const known: KnownRow = { ...event(1, 'a'), status: 'waiting', attempts: 2, nextAt: 0 };
  lane.restore([known], 0);
  const [one] = sendAll(lane, 10) as [Parcel];
  lane.settle(one, outcome(), 11);
  assert.deepEqual(sendAll(lane, 12), []);
  // As it was before the attempt: nobody has asked for anything.
  lane.restore([known], 12);
  assert.deepEqual(sendAll(lane, 12), []);
  lane.restore([{ ...known, attempts: 0, nextAt: 12 }], 12);
  assert.deepEqual(
    lane.changes(false)?.rows.map(({ seq, attempts, rowAttempts, nextAt }) => [seq, attempts, rowAttempts, nextAt]),
    [[1, 0, 0, 12]],
  );
  assert.equal(sendAll(lane, 12).length, 1);
});
