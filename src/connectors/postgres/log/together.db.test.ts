import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type LogDatabase, logRequest, startLogDatabase } from '../../../../test/support/postgres-log.ts';
import { until } from '../../../../test/support/until.ts';
import { OutsideError } from '../../../outside/errors.ts';
import type { ChangeLog } from '../../changes.ts';

let database: LogDatabase;
before(async () => {
  database = await startLogDatabase();
});
after(() => database.close());

const connections = async (): Promise<number> =>
  (await database.rows(`select pid from pg_stat_activity where application_name = 'syncline' and datname = current_database()`)).length;

test('many that ask what is kept for them in the same moment are answered over one connection, each for its own', async () => {
  await database.run('create table t (id int primary key, v text)');
  const held = await database.session();
  await held.log?.hold(logRequest('one', { stream: 'public.t' }));
  await database.run(`insert into t select n, repeat('x', 100) from generate_series(1, 1000) n`);
  await held.log?.hold(logRequest('two', { stream: 'public.t' }));
  await held.close();
  const sessions = await Promise.all(Array.from({ length: 9 }, () => database.session()));
  const logs = sessions.map(({ log }) => log as ChangeLog);
  await until('the connections before to be gone', async () => (await connections()) === 0);
  const kept = await Promise.all(logs.map((log, place) => log.kept(['one', 'two', 'nobody'][place % 3] as string)));
  assert.equal(await connections(), 1);
  const [one, two, nobody] = kept.slice(0, 3).map(({ bytes }) => bytes);
  assert.ok((one ?? 0) > (two ?? 0) + 50_000, `${one} and ${two} bytes`);
  assert.equal(nobody, null);
  for (const [place, { bytes }] of kept.entries()) assert.equal(bytes, [one, two, nobody][place % 3]);

  // The first one is asked over; when it goes, the others are answered all the same.
  const asked = logs.slice(0, 3).map((log) => log.kept('one'));
  await sessions[0]?.close();
  const [first, ...others] = await Promise.allSettled(asked);
  assert.ok(first?.status === 'fulfilled' || first?.reason instanceof OutsideError);
  for (const other of others) assert.equal(other.status === 'fulfilled' && (other.value.bytes ?? 0) > 0, true);
  for (const owner of ['one', 'two']) await logs[1]?.release(owner);
});
