import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SendingPlace, SendingPlaces } from './sending-places.ts';

const LIMITS = { quick: 4, quickOfOwner: 2, doubtful: 3, doubtfulOfOwner: 2, all: 12, allOfOwner: 6 };

test('one owner never has all places, and those whose last try failed have their own', () => {
  const places = new SendingPlaces(LIMITS);
  const take = (owner: string, isDoubtful = false): SendingPlace | undefined => places.take(owner, isDoubtful);
  const held = [take('a'), take('a')];
  assert.ok(held[0] && held[1]);
  assert.equal(take('a'), undefined);
  assert.ok(take('a', true) && take('a', true));
  assert.equal(take('a', true), undefined);
  assert.ok(take('b', true));
  assert.equal(take('c', true), undefined, 'there are three in all');
  assert.ok(take('b') && take('c'), 'and they take none of those that answer');
  assert.equal(take('d'), undefined);
  places.giveBack(held[0]);
  assert.ok(take('d'));
});

test('what takes long makes room, up to a bound', () => {
  const places = new SendingPlaces(LIMITS);
  for (let n = 0; n < 6; n++) {
    const place = places.take('a', false);
    assert.ok(place);
    place.isSlow = true;
  }
  assert.equal(places.take('a', false), undefined, 'one owner has six');
  assert.ok(places.take('b', false));
});
