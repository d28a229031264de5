import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { mkdirSync } from 'node:fs';
import { test } from 'node:test';
import { mysqlDatabase } from '../support/mysql-database.ts';
import { addSource } from '../support/real-syncs.ts';
import { startService } from '../support/service.ts';

test('what MySQL cannot have, or has for itself, is no target', async (t) => {
  const [service, database] = [await startService('sqlite'), await mysqlDatabase()];
  t.after(async () => {
    await service.close();
    await database.close();
  });
  const folder = join(service.place.dataDir, 'files');
  mkdirSync(folder, { recursive: true });
  const from = new DatabaseSync(join(folder, 'from.db'));
  from.exec('create table customers (id integer primary key)');
  from.close();
  const { host, port, user, password, name } = database;
  const source_id = await addSource(service, 'sqlite', { path: 'from.db' });
  const reasonOf = async (into: string, target: string): Promise<string> => {
    const target_id = await addSource(service, 'mysql', { host, port, user, password, database: into });
    const body = { name: 'n', source_id, target_id, streams: [{ source: 'customers', target }] };
    const reply = await service.post('/api/v1/datasync/sync', body);
    assert.deepEqual([reply.status, reply.body.error?.details.field], [400, 'streams[0].target'], reply.text);
    return reply.body.error.details.reason;
  };
  assert.match(await reasonOf(name, 'n'.repeat(65)), /64 characters/);
  assert.match(await reasonOf(name, '_syncline_kept'), /one of Syncline's own tables/);
  assert.match(await reasonOf('mysql', 'customers'), /the database "mysql" of "mysql( \(\d\))?" belongs to the server/);
  assert.match(await reasonOf('information_schema', 'customers'), /belongs to the server/);
});
