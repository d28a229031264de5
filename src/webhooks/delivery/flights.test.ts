import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type Flight, Flights } from './flights.ts';
import { Pace } from './pace.ts';
import type { Receiver } from './receiver.ts';
import { Slots } from './slots.ts';

let now: number;
let slots: Slots;
let flights: Flights;

beforeEach(() => {
  now = 0;
  slots = new Slots(new Pace(() => 0), { quick: 4, doubtful: 2, untrusted: 1, all: 12 });
  flights = new Flights(slots, () => now);
});

const endpoint = (isTrusted = true): Receiver => ({ slow: 0, lane: { isTrusted } }) as Receiver;

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

test('who is not trusted keeps its place for as long as it takes', () => {
  begin(endpoint(false));
  now = 5_000;
  flights.giveUpPlaces(true);
  assert.ok(!slots.hasRoom('untrusted'));
  assert.ok(slots.hasRoom('quick'));
});
