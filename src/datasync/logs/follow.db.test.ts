import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onBothEngines, openTestDatabase } from '../../../test/support/databases.ts';
import { until } from '../../../test/support/until.ts';
import type { Command, Connection, Database } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { systemClock } from '../../lib/clock.ts';
import { unavailable } from '../../lib/errors.ts';
import { createLog } from '../../lib/log.ts';
import { createFollower } from './follow.ts';
import type { LogRow } from './queries.ts';
import { createLogStore } from './store.ts';

const log = createLog('silent');
const FOLLOWERS = 20;

/** The database, with what was asked of it, and a switch that takes it away. */
function watched(db: Database) {
  const asked = { heads: 0, lists: 0, isAway: false };
  const demand = (): void => {
    if (asked.isAway) throw unavailable('The database is away.');
  };
  const read: Connection = {
    engine: db.read.engine,
    all: async <Row>(query: Sql): Promise<Row[]> => {
      asked.heads++;
      demand();
      return db.read.all<Row>(query);
    },
  };
  const query = async <Input, Output>(command: Command<Input, Output>, input: Input): Promise<Output> => {
    asked.lists++;
    demand();
    return db.query(command, input);
  };
  return { asked, db: { ...db, read, query } };
}

onBothEngines('those who follow the log', (engine) => {
  test('cost one question a second together, and hear what any node writes, also after the database was away', async (t) => {
    const real = await openTestDatabase(engine);
    const { asked, db } = watched(real);
    const own = createLogStore({ db: real, clock: systemClock, log });
    // As another node would: ours hears nothing of it.
    const other = createLogStore({ db: real, clock: systemClock, log });
    const follower = createFollower({ db, logs: own, log });
    const heard: string[][] = Array.from({ length: FOLLOWERS }, () => []);
    const listening = heard.map(async (messages) => {
      for await (const rows of follower.follow({}, 0)) messages.push(...rows.map(({ message }: LogRow) => message));
    });
    t.after(async () => {
      follower.close();
      await Promise.all(listening);
      await Promise.all([own.close(), other.close()]);
      await real.close();
    });
    const all = (...messages: string[]): boolean => heard.every((one) => one.join() === messages.join());
    await until('the log to be looked at three times', () => asked.heads >= 3);
    const { lists } = asked;
    assert.ok(lists <= 2 * FOLLOWERS, `${lists} lists were read`);
    await until('the log to be looked at again', () => asked.heads >= 5);
    assert.equal(asked.lists, lists, 'nothing new, and no list is read');

    other.add({ level: 'info', message: 'elsewhere' });
    await until('all to hear what another node wrote', () => all('elsewhere'));
    own.add({ level: 'info', message: 'here' });
    await until('all to hear what this node wrote', () => all('elsewhere', 'here'));

    asked.isAway = true;
    const before = asked.heads;
    own.add({ level: 'info', message: 'meanwhile' });
    await until('the database to be missed', () => asked.heads > before + 1);
    asked.isAway = false;
    await until('all to hear of it', () => all('elsewhere', 'here', 'meanwhile'));
  });
});
