// A copy of a server has the same number, and a log that begins in the same way.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { copyServer, type PostgresCopy } from '../../../../test/support/postgres-copy.ts';
import { failureOf } from '../../../../test/support/postgres-database.ts';
import { type LogDatabase, logRequest, readChanges, startLogDatabase } from '../../../../test/support/postgres-log.ts';
import type { ChangeLog } from '../../changes.ts';

const request = logRequest('copies', { stream: 'public.one' });

let database: LogDatabase;
let copy: PostgresCopy;
/** Of the server, and of its copy. */
let log: ChangeLog;
let other: ChangeLog;
/** Behind what the target has of the server. */
let position: string;

before(async () => {
  database = await startLogDatabase();
  await database.run('create table one (id int primary key, v text)');
  const held = await (await database.log()).hold(request);
  await database.run(`insert into one values (1, 'both')`);
  position = (await readChanges(await database.log(), request, held, 1)).position;
  copy = await copyServer(database);
  [log, other] = [await database.log(), await database.log({ port: copy.port })];
  // The connections from before ended with the server.
  await (await database.client()).query(`insert into one select n, repeat('x', 200) from generate_series(2, 2000) n`);
  position = (await readChanges(log, request, position, 1999)).position;
});
after(async () => {
  copy.stop();
  await database.close();
});

test('a copy that lacks what came to the server since is another server', async () => {
  const error = await failureOf(readChanges(other, request, position, 1));
  assert.deepEqual([error.kind, error.code], ['gap', 'SERVER_CHANGED']);
});

test('the server is the same by all of its names, and its copy is another', async () => {
  const byName = await database.log({ host: 'localhost' });
  const identity = await log.identity?.();
  assert.ok(identity);
  assert.equal(await byName.identity?.(), identity);
  assert.notEqual(await other.identity?.(), identity);
});

test('a copy without slots, as a backup is, is noticed however far it has gone on by itself', async () => {
  await other.release('copies');
  const writer = await copy.client();
  await writer.query(`insert into one select n, repeat('y', 400) from generate_series(2, 4000) n`);
  await writer.end();
  assert.ok(log.isBefore(position, await other.end()), 'its log is longer than that of the server was');
  const error = await failureOf(readChanges(other, request, position, 1));
  assert.deepEqual([error.kind, error.code], ['gap', 'SLOT_LOST']);
});
