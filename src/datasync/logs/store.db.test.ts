import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines, openTestDatabase } from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Command, Database } from '../../db/database.ts';
import { systemClock } from '../../lib/clock.ts';
import { unavailable } from '../../lib/errors.ts';
import { createLog } from '../../lib/log.ts';
import { listLogs } from './queries.ts';
import { createLogStore } from './store.ts';

const log = createLog('silent');

/** The database, with a switch that takes it away, and the sizes of what was written. */
function switchable(db: Database) {
  const state = { away: false, writes: [] as number[] };
  const write = <Input, Output>(command: Command<Input, Output>, input: Input): Promise<Output> => {
    if (state.away) return Promise.reject(unavailable('The database is away.'));
    state.writes.push((input as unknown[]).length);
    return db.write(command, input);
  };
  return { state, db: { ...db, write } };
}

onBothEngines('the log store', (engine) => {
  const stored = async (db: Database): Promise<string[]> => {
    const { rows } = await db.query(listLogs, { filter: {}, limit: 1000, offset: 0 });
    return rows.map(({ message }) => message).toReversed();
  };

  test('writes what comes together in one transaction, in order, without being asked', async (t) => {
    const real = await openTestDatabase(engine);
    t.after(() => real.close());
    const { db, state } = switchable(real);
    const store = createLogStore({ db, clock: systemClock, log });
    let told = 0;
    const stop = store.watch(() => told++);
    const messages = Array.from({ length: 40 }, (_, i) => `entry ${i}`);
    for (const message of messages) store.add({ level: 'info', message });
    await until('they are written', async () => (await stored(db)).length === 40);
    assert.deepEqual(await stored(db), messages);
    assert.deepEqual(state.writes, [40]);
    assert.equal(told, 1);
    stop();
    for (let i = 0; i < 1200; i++) store.add({ level: 'info', message: 'more' });
    await store.flush();
    assert.deepEqual(state.writes.slice(1), [500, 500, 200]);
    assert.equal(told, 1);
    store.add({ level: 'info', message: 'last' });
    await store.close();
    assert.equal((await stored(db)).at(-1), 'last');
  });

  test('keeps entries while the database is away, and writes them when it is back', async (t) => {
    const real = await openTestDatabase(engine);
    t.after(() => real.close());
    const { db, state } = switchable(real);
    const store = createLogStore({ db, clock: systemClock, log, patience: 5 });
    state.away = true;
    for (let i = 0; i < 30; i++) store.add({ level: 'info', message: `entry ${i}` });
    await store.flush();
    store.add({ level: 'info', message: 'entry 30' });
    state.away = false;
    await until('they are written', async () => (await stored(db)).length === 31);
    assert.deepEqual(
      await stored(db),
      Array.from({ length: 31 }, (_, i) => `entry ${i}`),
    );
    await store.close();
  });

  test('drops the least important first when there is no more room, and says so once', async (t) => {
    const real = await openTestDatabase(engine);
    t.after(() => real.close());
    const { db, state } = switchable(real);
    const store = createLogStore({ db, clock: systemClock, log, patience: 5, room: 100_000 });
    state.away = true;
    for (let i = 0; i < 100; i++)
      store.add({ level: i % 10 === 0 ? 'error' : i % 2 === 0 ? 'info' : 'debug', message: `${i} ${'x'.repeat(1500)}` });
    await store.flush();
    state.away = false;
    await store.flush();
    const messages = await stored(db);
    const about = messages.filter((message) => message.includes('dropped'));
    assert.equal(about.length, 1);
    const others = messages.filter((message) => !message.includes('dropped'));
    assert.match(about[0] ?? '', new RegExp(`^${100 - others.length} log entries were dropped`));
    const kept = others.map((message) => Number(message.split(' ')[0]));
    assert.deepEqual(
      kept.filter((number) => number % 10 === 0),
      Array.from({ length: 10 }, (_, i) => i * 10),
      'every error is there',
    );
    assert.ok(kept.length < 70 && kept.includes(98) && !kept.includes(1), String(kept));
    await store.close();
  });

  test('never throws, whatever it is given, and closes without a database', async (t) => {
    const real = await openTestDatabase(engine);
    t.after(() => real.close());
    const { db, state } = switchable(real);
    const store = createLogStore({ db, clock: systemClock, log, patience: 5 });
    assert.doesNotThrow(() => store.add(undefined as never));
    assert.doesNotThrow(() => store.add({ level: 'info', message: 5 as never }));
    state.away = true;
    store.add({ level: 'info', message: 'lost' });
    await store.close();
    assert.deepEqual(await stored(db), []);
  });
});
