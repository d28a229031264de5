import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { event, FRESH, outcome, TIMES } from '../../../test/support/lane-fixture.ts';
import type { KnownRow, Outcome, Parcel, RowChange } from './parcel.ts';
import type { Turn } from './circuit.ts';
import { Lane, type LaneLimits, type LaneState } from './lane.ts';

const BEGINNING = 1_000_000;

interface Feed {
  seq: number;
  objectId: string;
  isMeant: boolean;
}

/** An endpoint, its lane, and a database that keeps what the lane has written at the last flush. */
class World {
  now = BEGINNING;
  readonly feed: Feed[] = [];
  readonly rows = new Map<number, RowChange>();
  state: LaneState = { ...FRESH };
  turn: Turn | undefined;
  lane: Lane;
  inFlight: Parcel[] = [];
  /** In the order in which the receiver got them well, doubles included. */
  readonly received: number[] = [];
  readonly #limits: LaneLimits;

  constructor(limits: LaneLimits) {
    this.#limits = limits;
    this.lane = this.#open();
  }

  #open(): Lane {
    const lane = new Lane({ state: this.state, limits: this.#limits, timing: TIMES, random: () => 0.5, mostWaiting: 12 });
    lane.restore(this.#knownRows(), this.now);
    return lane;
  }

  #knownRows(): KnownRow[] {
    return [...this.rows.values()]
      .filter(({ seq, status }) => status === 'waiting' || seq > this.state.position)
      .sort((a, b) => a.seq - b.seq)
      .map((row) => ({ ...row, nextAt: row.nextAt ?? 0 }));
  }

  append(object: number, isMeant: boolean): void {
    this.feed.push({ seq: this.feed.length + 1, objectId: `o${object}`, isMeant });
  }

  takeIn(most: number): void {
    for (const { seq, objectId, isMeant } of this.feed.slice(this.lane.scanned, this.lane.scanned + most)) {
      if (!this.lane.wants()) return;
      if (isMeant) this.lane.take(event(seq, objectId), this.now);
      this.lane.scannedTo(seq);
    }
  }

  send(): void {
    const item = this.lane.next(this.now);
    if (!item) return;
    this.inFlight.push(item);
    const { objectId } = this.feed[item.seq - 1] as Feed;
    const before = this.feed.filter((one) => one.seq < item.seq && one.objectId === objectId && one.isMeant);
    for (const { seq } of before) {
      const isOver = this.received.includes(seq) || this.#failed.has(seq);
      assert.ok(isOver, `${item.seq} was sent before ${seq} of the same object`);
    }
    const sameObject = this.inFlight.filter((one) => one.objectId === item.objectId);
    assert.equal(sameObject.length, 1, 'one at a time for each object');
    assert.ok(this.inFlight.length <= this.#limits.maxInFlight);
  }
  readonly #failed = new Set<number>();

  answer(which: number, how: Outcome, isReceived: boolean): void {
    if (this.inFlight.length === 0) return;
    const [item] = this.inFlight.splice(which % this.inFlight.length, 1) as [Parcel];
    if (isReceived || how.isDelivered) this.received.push(item.seq);
    this.lane.settle(item, how, this.now);
    if (!how.isDelivered && item.state === 'over') this.#failed.add(item.seq);
  }

  flush(): void {
    const changes = this.lane.changes(true);
    if (!changes) return;
    assert.ok(changes.state.position >= this.state.position, 'a position never goes back');
    for (const row of changes.rows) this.rows.set(row.seq, row);
    if (changes.isDueAll)
      for (const [seq, row] of this.rows)
        if (row.status === 'waiting') this.rows.set(seq, { ...row, nextAt: Math.min(row.nextAt ?? 0, this.now) });
    this.state = changes.state;
    this.turn ??= changes.turn;
    for (const { seq, isMeant } of this.feed)
      if (isMeant && seq <= this.state.position) assert.ok(this.rows.has(seq), `${seq} is behind the position and has no row`);
    for (const seq of this.rows.keys()) assert.ok(this.feed[seq - 1]?.isMeant, `${seq} was invented`);
  }

  crash(): void {
    this.inFlight = [];
    this.lane = this.#open();
  }

  /** The receiver is well again: all that is left arrives. */
  drain(): void {
    for (let idle = 0; idle < 3; ) {
      this.takeIn(1000);
      this.send();
      const worked = this.inFlight.length > 0;
      while (this.inFlight.length > 0) this.answer(0, outcome({ isDelivered: true }), true);
      this.flush();
      const wake = this.lane.wakeAt(this.now);
      if (!worked && wake === undefined) idle++;
      else if (!worked) this.now = Math.max(this.now + 1, wake ?? 0);
    }
  }
}

type Step = (world: World) => void;
const failing = fc.record({ retryAfter: fc.constantFrom(0, 0, 0, 300, 5000), holdsAll: fc.boolean() });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(3), fc.integer({ min: 0, max: 3 })).map(
      ([o, n]): Step =>
        (w) =>
          w.append(o, n > 0),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.integer({ min: 1, max: 5 }).map(
      (n): Step =>
        (w) =>
          w.takeIn(n),
    ),
  },
  { weight: 6, arbitrary: fc.constant<Step>((w) => w.send()) },
  {
    weight: 4,
    arbitrary: fc.nat(9).map(
      (n): Step =>
        (w) =>
          w.answer(n, outcome({ isDelivered: true }), true),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(9), failing, fc.boolean()).map(
      ([n, how, got]): Step =>
        (w) =>
          w.answer(n, outcome(how), got),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(1, 9, 90, 900).map(
      (ms): Step =>
        (w) =>
          void (w.now += ms),
    ),
  },
  { weight: 3, arbitrary: fc.constant<Step>((w) => w.flush()) },
  { weight: 1, arbitrary: fc.constant<Step>((w) => w.crash()) },
);

test('whatever fails and whenever it is killed: each event arrives or is kept as failed, in order for its object, and none is invented', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 120 }), fc.integer({ min: 1, max: 4 }), (steps, maxInFlight) => {
      const world = new World({ maxInFlight, rate: null });
      for (const one of steps) one(world);
      world.drain();
      for (const { seq, isMeant } of world.feed) {
        if (!isMeant) assert.ok(!world.rows.has(seq));
        else assert.ok(['delivered', 'failed'].includes(world.rows.get(seq)?.status ?? 'none'), `${seq} did not end`);
      }
      assert.equal(world.state.position, world.feed.length, 'all was looked at');
      assert.equal(world.lane.size, 0);
      const firsts = [...new Set(world.received)];
      for (const object of new Set(world.feed.map(({ objectId }) => objectId))) {
        const own = firsts.filter((seq) => world.feed[seq - 1]?.objectId === object);
        assert.deepEqual(
          own,
          own.toSorted((a, b) => a - b),
          'in order',
        );
      }
    }),
    { numRuns: 500 },
  );
});
