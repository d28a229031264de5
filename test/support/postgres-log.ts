import assert from 'node:assert/strict';
import type { Change, ChangeLog, ChangeSet, Following, LogRequest, LogStream } from '../../src/connectors/changes.ts';
import type { PostgresConfig } from '../../src/connectors/postgres/manifest.ts';
import { newDatabase, type TestDatabase } from './postgres-database.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** A server that keeps its log, with a database. */
export interface LogDatabase extends TestDatabase {
  readonly server: PostgresServer;
  /** As the server counts, such as 150007. */
  readonly version: number;
  /** The log, by a session of its own. */
  log(changes?: Partial<PostgresConfig>): Promise<ChangeLog>;
}

export async function startLogDatabase(settings = ''): Promise<LogDatabase> {
  const server = await startPostgres('', `-c wal_level=logical -c fsync=off -c max_replication_slots=40 -c max_wal_senders=40 ${settings}`);
  const database = await newDatabase(server.url);
  const version = Number((await database.rows(`select current_setting('server_version_num')`))[0]?.[0]);
  return {
    ...database,
    server,
    version,
    log: async (changes) => {
      const { log } = await database.session(changes);
      assert.ok(log);
      return log;
    },
    close: async () => {
      await database.close();
      server.stop();
    },
  };
}

export const logRequest = (owner: string, ...streams: (Partial<LogStream> & { stream: string })[]): LogRequest => ({
  owner,
  streams: streams.map((stream) => ({ fields: ['id', 'v'], key: ['id'], ...stream })),
});

/** What one has read. */
export interface ReadChanges {
  readonly sets: readonly ChangeSet[];
  readonly changes: readonly Change[];
  /** Without what is told of fields. */
  readonly rows: readonly Change[];
  readonly position: string;
}

/** Reads from a position on until so many changes of rows have come and their transaction is whole; then the reader goes. */
export async function readChanges(log: ChangeLog, request: LogRequest, after: string, count: number): Promise<ReadChanges> {
  const sets: ChangeSet[] = [];
  let position = after;
  let seen = 0;
  for await (const set of log.follow(request, after)) {
    sets.push(set);
    position = set.position ?? position;
    seen += set.changes.filter(({ op }) => op !== 'fields').length;
    if (set.position && seen >= count) break;
  }
  const changes = sets.flatMap((set) => set.changes);
  return { sets, changes, rows: changes.filter(({ op }) => op !== 'fields'), position };
}

/** A reader that goes on beside the test: what it has seen, and with what it has ended. */
export function readOn(following: Following): { changes: Change[]; positions: string[]; ended: Promise<unknown> } {
  const changes: Change[] = [];
  const positions: string[] = [];
  const read = async (): Promise<void> => {
    for await (const set of following) {
      changes.push(...set.changes);
      if (!set.position) continue;
      positions.push(set.position);
      following.acknowledge(set.position);
    }
  };
  const ended = read().catch((error: unknown) => error);
  return { changes, positions, ended };
}
