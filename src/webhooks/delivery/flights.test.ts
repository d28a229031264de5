import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Standing } from './circuit.ts';
import { type Flight, Flights } from './flights.ts';
import { Pace } from './pace.ts';
import type { Receiver } from './receiver.ts';
import { type SlotKind, Slots } from './slots.ts';

let now: number;
let slots: Slots;
let flights: Flights;

beforeEach(() => {
  now = 0;
  slots = new Slots(new Pace(() => 0), { quick: 4, fresh: 1, late: 2, doubtful: 2, failing: 1, all: 12 });
  flights = new Flights(slots, () => now);
});

const endpoint = (standing: Standing = 'good'): Receiver =>
  ({ slow: 0, underWay: 0, quietSince: 0, answerTime: 0, lane: { standing } }) as unknown as Receiver;

function begin(receiver: Receiver, count = 1): Flight[] {
  return Array.from({ length: count }, () => flights.begin(receiver)).filter((flight) => flight !== undefined);
}

test('what hangs gives its place up after a tenth of a second while others wait for it, and after a second when none does', () => {
  const dead = endpoint();
  assert.equal(begin(dead, 5).length, 4);
  now = 99;
  flights.giveUpPlaces(true);
  assert.ok(!slots.hasRoom('quick'));
  now = 100;
  flights.giveUpPlaces(false);
  assert.ok(!slots.hasRoom('quick'));
  flights.giveUpPlaces(true);
  assert.ok(slots.hasRoom('quick'));
  assert.equal(dead.slow, 4);
  assert.equal(flights.size, 4);

  const other = endpoint();
  const [flight] = begin(other);
  now = 1100;
  flights.giveUpPlaces(false);
  assert.equal(other.slow, 1);
  assert.ok(flight);
  flights.end(flight, true);
  assert.equal(other.slow, 0);
});

test('an endpoint that has something hanging takes none of the quick places, but a few at a time, and no more than half of all', () => {
  const dead = endpoint();
  begin(dead);
  now = 100;
  flights.giveUpPlaces(true);
  assert.equal(begin(dead, 9).length, 2, 'a few at a time');
  now = 200;
  flights.giveUpPlaces(true);
  assert.equal(begin(dead, 9).length, 2);
  now = 300;
  flights.giveUpPlaces(true);
  assert.equal(begin(dead, 9).length, 1, 'half of all');
  assert.equal(begin(endpoint(), 9).length, 4);
});

test('when the one that hung is over, its endpoint takes quick places again, also while others of it are under way', () => {
  const late = endpoint();
  const [hung] = begin(late);
  now = 100;
  flights.giveUpPlaces(true);
  begin(late);
  assert.ok(hung);
  flights.end(hung, true);
  assert.equal(begin(late)[0]?.slot.kind, 'quick');
});

test('when answers take long for all, as there is much to do, nobody is taken for one that hangs', () => {
  const busy = endpoint();
  for (let answers = 0; answers < 100; answers++) {
    const [flight] = begin(busy);
    now += 80;
    assert.ok(flight);
    flights.end(flight, true);
  }
  begin(busy);
  now += 250;
  flights.giveUpPlaces(true);
  assert.equal(busy.slow, 0);
  now += 150;
  flights.giveUpPlaces(true);
  assert.equal(busy.slow, 1);
});

test('a few that answer late, and those that never do, change nothing about what is usual', () => {
  for (let answers = 0; answers < 200; answers++) {
    const [flight] = begin(endpoint());
    now += answers % 5 === 0 ? 900 : 10;
    assert.ok(flight);
    flights.end(flight, answers % 7 > 0);
  }
  const dead = endpoint();
  begin(dead);
  now += 100;
  flights.giveUpPlaces(true);
  assert.equal(dead.slow, 1);
});

test('who was never tried, or only fails, keeps its place for as long as it takes, and does not take those of the other', () => {
  for (const standing of ['fresh', 'failing'] as const) begin(endpoint(standing), 2);
  assert.equal(flights.size, 2);
  now = 5_000;
  flights.giveUpPlaces(true);
  for (const kind of ['fresh', 'failing'] as const) assert.ok(!slots.hasRoom(kind), kind);
  assert.ok(slots.hasRoom('quick'));
});

test('when all that have places wait, others begin at once, and those that wait are not taken for slow ones before their time', () => {
  const far = endpoint();
  assert.equal(begin(far, 9).length, 4);
  now = 20;
  flights.look();
  flights.giveUpPlaces(true);
  assert.ok(!slots.hasRoom('quick'), 'answers may have come meanwhile');
  now = 40;
  flights.look();
  flights.giveUpPlaces(true);
  assert.equal(begin(far, 9).length, 4);
  assert.equal(far.slow, 0);
  now = 100;
  flights.giveUpPlaces(true);
  assert.equal(far.slow, 4);
});

test('while answers come, those that have places keep them', () => {
  const [flight] = begin(endpoint(), 4);
  flights.look();
  assert.ok(flight);
  flights.end(flight, true);
  begin(endpoint());
  flights.look();
  flights.giveUpPlaces(true);
  assert.ok(!slots.hasRoom('quick'));
});

test('nothing more is begun at an endpoint that answers nothing for a second, or for long after its usual time, until something is over', () => {
  const dead = endpoint();
  const [hung] = begin(dead);
  now = 1_000;
  flights.giveUpPlaces(false);
  assert.ok(!flights.isMute(dead));
  now = 1_001;
  assert.ok(flights.isMute(dead));
  assert.ok(hung);
  flights.end(hung, false);
  assert.ok(!flights.isMute(dead));

  const late = endpoint();
  for (const isAnswered of [true, false]) {
    const [flight] = begin(late, 2);
    now += isAnswered ? 3_000 : 11_999;
    flights.giveUpPlaces(false);
    assert.equal(flights.isMute(late), isAnswered, 'its own time is not known at first');
    assert.ok(flight);
    if (isAnswered) flights.end(flight, true);
  }
  now += 2;
  assert.ok(flights.isMute(late));
});

test('while endpoints that answer wait, those that are late begin one attempt for sixteen of theirs, and those that fail one for sixty-four', () => {
  const begun = (kind: SlotKind): number => Array.from({ length: 100 }, () => slots.take(kind)).filter((slot) => slot !== undefined).length;
  for (const [kind, share] of [
    ['late', 16],
    ['doubtful', 64],
    ['failing', 64],
  ] as const) {
    slots = new Slots(new Pace(() => 0), { quick: 1000, fresh: 1, late: 1000, doubtful: 1000, failing: 1000, all: 4000 });
    slots.areQuickWaiting = true;
    assert.equal(begun(kind), 256 / share, 'what they have to their credit');
    for (let n = 0; n < 128; n++) slots.take('quick');
    assert.equal(begun(kind), 128 / share);
    slots.areQuickWaiting = false;
    assert.equal(begun(kind), 100, 'nobody waits');
  }
});
