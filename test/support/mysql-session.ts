import { after, before } from 'node:test';
import { type MysqlDatabase, mysqlDatabase } from './mysql-database.ts';
import type { Session } from '../../src/connectors/session.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { connector } from '../../src/connectors/mysql/connector.ts';

/** A database of its own for a suite and a session of the connector in it: made before its tests, gone after them. */
export interface Fixture {
  database: MysqlDatabase;
  session: Session;
}

export function useDatabase(): Fixture {
  const fixture = {} as Fixture;
  before(async () => {
    fixture.database = await mysqlDatabase();
    const { host, port, user, password, name } = fixture.database;
    fixture.session = await connector.open(
      { host, port, user, password, database: name, tls: 'prefer' },
      { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal },
    );
  });
  after(async () => {
    await fixture.session.close();
    await fixture.database.close();
  });
  return fixture;
}
