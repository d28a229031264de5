import { after, before } from 'node:test';
import type { Change, ChangeLog, ChangeSet, LogRequest, LogStream } from '../../src/connectors/changes.ts';
import type { Session } from '../../src/connectors/session.ts';
import { connector } from '../../src/connectors/mysql/connector.ts';
import type { MysqlConfig } from '../../src/connectors/mysql/manifest.ts';
import { reachOf } from '../../src/outside/reach.ts';
import { rootsOf } from '../../src/outside/roots.ts';
import { type MysqlDatabase, mysqlDatabase } from './mysql-database.ts';
import { startOwnMysql } from './mysql-server.ts';

export const LOGGING = [
  '--log-bin=binlog',
  '--server-id=7',
  '--binlog-format=ROW',
  '--sync-binlog=0',
  '--innodb-flush-log-at-trx-commit=0',
];

/** A server of its own with a binary log, and a database on it. */
export interface LogFixture {
  url: string;
  database: MysqlDatabase;
  readonly open: (config?: Partial<MysqlConfig>) => Promise<Session>;
  readonly log: (config?: Partial<MysqlConfig>) => Promise<ChangeLog>;
}

export function useLog(settings: readonly string[] = []): LogFixture {
  const fixture = {} as LogFixture;
  let stop = (): void => {};
  before(async () => {
    const server = await startOwnMysql([...LOGGING, ...settings]);
    stop = () => server.stop();
    Object.assign(fixture, await logFixture(server.url));
  });
  after(async () => {
    await fixture.database.close();
    stop();
  });
  return fixture;
}

export async function logFixture(url: string): Promise<LogFixture> {
  const database = await mysqlDatabase(url);
  const { host, port, user, password, name } = database;
  const open = (config: Partial<MysqlConfig> = {}): Promise<Session> =>
    connector.open(
      { host, port, user, password, database: name, tls: 'disable', ...config },
      { reach: reachOf('any'), roots: rootsOf({ folders: [], dataDir: '/nowhere' }), signal: new AbortController().signal },
    );
  return { url, database, open, log: async (config) => (await open(config)).log as ChangeLog };
}

/** What the log tells behind a position, up to where it ends now. */
export async function told(
  log: ChangeLog,
  request: LogRequest,
  from: string,
): Promise<{ changes: Change[]; sets: ChangeSet[]; position: string }> {
  const end = await log.end();
  const changes: Change[] = [];
  const sets: ChangeSet[] = [];
  let position = from;
  if (!log.isBefore(from, end)) return { changes, sets, position };
  for await (const set of log.follow(request, from)) {
    sets.push(set);
    changes.push(...set.changes);
    position = set.position ?? position;
    if (!log.isBefore(position, end)) break;
  }
  return { changes, sets, position };
}

export const requestOf = (...streams: LogStream[]): LogRequest => ({
  owner: `owner of ${streams.map(({ stream }) => stream).join()}`,
  streams,
});
