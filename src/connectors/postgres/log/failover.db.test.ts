// A standby takes over that does not keep slots.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { copyServer, type PostgresCopy } from '../../../../test/support/postgres-copy.ts';
import { failureOf } from '../../../../test/support/postgres-database.ts';
import { type LogDatabase, logRequest, readChanges, startLogDatabase } from '../../../../test/support/postgres-log.ts';
import { until } from '../../../../test/support/until.ts';

/** The first version whose standbys keep slots. */
const KEEPS_SLOTS = 170_000;
const request = logRequest('failover', { stream: 'public.one' });

let database: LogDatabase;
let standby: PostgresCopy;
before(async () => {
  database = await startLogDatabase();
  const { user, host, port, database: name } = database.config;
  await database.run(`create table one (id int primary key, v text); select pg_create_physical_replication_slot('standby')`);
  standby = await copyServer(database, [
    `primary_conninfo = 'host=${host} port=${port} user=${user} dbname=${name}'`,
    `primary_slot_name = 'standby'`,
    'hot_standby_feedback = on',
  ]);
});
after(async () => {
  standby.stop();
  await database.close();
});

test('a slot is made for failover where a server can; one that the new primary lacks is noticed', async () => {
  const first = await database.client();
  const log = await database.log();
  const held = await log.hold(request);
  const there = await standby.client();
  let position = held;
  let rows = 0;
  /** A row that is followed, and acknowledged: the slot moves on. */
  const follow = async (): Promise<void> => {
    await first.query(`insert into one values (${++rows}, 'before')`);
    const following = log.follow(request, position);
    for await (const set of following) {
      position = set.position ?? position;
      if (!set.position || !set.changes.some(({ op }) => op === 'insert')) continue;
      following.acknowledge(position);
      break;
    }
  };
  await follow();
  // Where standbys can keep slots, ours is one for them.
  if (database.version >= KEEPS_SLOTS)
    assert.deepEqual((await first.query(`select failover from pg_replication_slots where database is not null`)).rows, [{ failover: 't' }]);
  await until('the standby to have everything', async () => {
    const found = await there.query<{ is: boolean }>(`select pg_last_wal_replay_lsn() >= $1::pg_lsn as is`, [position.split(':')[2]]);
    return found.rows[0]?.is === true;
  });
  standby.killFirst();
  // Until it has taken over nobody knows what it lacks.
  const early = await failureOf(readChanges(await database.log({ port: standby.port }), request, position, 1));
  assert.deepEqual([early.kind, early.code], ['transient', 'STANDBY']);
  await there.query('select pg_promote()');
  await there.query(`insert into one values (${rows + 1}, 'after')`);
  await there.end();
  const other = await database.log({ port: standby.port });
  const error = await failureOf(readChanges(other, request, position, 1));
  assert.deepEqual([error.kind, error.code], ['gap', 'SLOT_LOST']);
});
