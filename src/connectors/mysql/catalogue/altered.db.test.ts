import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type MysqlDatabase, mysqlDatabase } from '../../../../test/support/mysql-database.ts';
import type { Stream } from '../../contract.ts';
import type { Session } from '../../session.ts';
import { reachOf } from '../../../outside/reach.ts';
import { rootsOf } from '../../../outside/roots.ts';
import { connector } from '../connector.ts';

/** Without a second look, several of so many find a table missing, or without its columns or its key. */
const LOOKS = 25;

describe('tables that are looked for while others alter them', () => {
  let database: MysqlDatabase;
  let session: Session;
  before(async () => {
    database = await mysqlDatabase();
    const { host, port, user, password, name } = database;
    session = await connector.open(
      { host, port, user, password, database: name, tls: 'disable' },
      { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal },
    );
  });
  after(async () => {
    await session.close();
    await database.close();
  });

  const shown = (streams: readonly Stream[]): string[] =>
    streams
      .map(({ name, fields, key }) => `${name} (${fields.map((field) => field.name).join(', ')}) by ${key.join(', ') || 'nothing'}`)
      .sort();

  test('are found as a whole, in the moment too in which another is put in their place', async () => {
    await database.query('create table moved (id int primary key, v int)');
    await database.query('create table emptied (id int primary key, v int)');
    await database.query('create table keyless (id int, v int)');
    const done = new AbortController();
    const others = ['rename table moved to elsewhere, elsewhere to moved', 'truncate table emptied'].map(async (statement) => {
      const connection = await database.connect();
      while (!done.signal.aborted) await connection.query(statement);
    });
    const found = new Set<string>();
    try {
      for (let look = 0; look < LOOKS; look++) found.add(shown(await session.discover(['moved', 'emptied', 'keyless', 'none'])).join('; '));
    } finally {
      done.abort();
      await Promise.all(others);
    }
    assert.deepEqual([...found], ['emptied (id, v) by id; keyless (id, v) by nothing; moved (id, v) by id']);
  });

  test('are not held on to: whoever waited alters them', async () => {
    await database.query('create table free (id int)');
    assert.deepEqual(shown(await session.discover(['free'])), ['free (id) by nothing']);
    const connection = await database.connect();
    await connection.query('set lock_wait_timeout = 1');
    await connection.query('alter table free add primary key (id)');
    assert.deepEqual(shown(await session.discover(['free'])), ['free (id) by id']);
  });
});
