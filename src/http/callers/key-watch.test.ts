import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { KeyWatch } from './key-watch.ts';
import type { Principal } from '../scopes.ts';

const SOMEBODY: Principal = { id: 'key_1', scopes: new Set(), rateLimit: undefined };

/** As much of an answer as there is to see: that it was ended. */
function openAnswer(): ServerResponse {
  const answer = Object.assign(new EventEmitter(), { destroy: () => answer.emit('close') });
  return answer as unknown as ServerResponse;
}

test('ends every answer of a key that is not valid any more, and no other', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let asked = 0;
  const watch = new KeyWatch((token) => {
    asked++;
    return token === 'good' ? SOMEBODY : undefined;
  }, 1000);
  const [good, ...bad] = ['good', 'bad', 'bad'].map((token) => {
    const answer = openAnswer();
    watch.watch(answer, token);
    return answer;
  });
  let goodEnded = false;
  good?.once('close', () => {
    goodEnded = true;
  });
  const badEnded = Promise.all(bad.map((answer) => once(answer, 'close')));
  t.mock.timers.tick(1000);
  await badEnded;
  assert.equal(goodEnded, false);
  assert.equal(asked, 2, 'each key once');
  t.mock.timers.tick(1000);
  assert.equal(asked, 3, 'the one that is left is looked at again');
  good?.emit('close');
  t.mock.timers.tick(10_000);
  assert.equal(asked, 3, 'nobody listens any more, so nobody is asked');
});

test('a database that cannot be asked ends nothing', async () => {
  let asked = 0;
  const watch = new KeyWatch(async () => {
    if (++asked < 3) throw new Error('the database is away');
    return undefined;
  }, 5);
  const answer = openAnswer();
  watch.watch(answer, 'token');
  await once(answer, 'close');
  assert.equal(asked, 3);
});
