import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { freePort } from './postgres-server.ts';

/** A standby must have as many of everything as the server that it follows. */
const SETTINGS = '-c max_connections=400 -c wal_level=logical -c fsync=off -c max_replication_slots=40 -c max_wal_senders=40';

/** A server with the files of another one. */
export interface PostgresCopy {
  readonly port: number;
  /** A connection to the database of the same name; the caller ends it. */
  client(): Promise<pg.Client>;
  stop(): void;
  /** Ends the first server as if it had died. */
  killFirst(): void;
}

/** Where the server is that is copied. */
export interface CopiedServer {
  readonly url: string;
  rows(sql: string): Promise<(string | null)[][]>;
}

/** Copies all files of the server while it is down, and starts both again. With a way to the first one, the copy is its standby. */
export async function copyServer(database: CopiedServer, standby?: readonly string[]): Promise<PostgresCopy> {
  const folder = (await database.rows(`select current_setting('data_directory')`))[0]?.[0] ?? '';
  const programs = dirname(readlinkSync(`/proc/${readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]}/exe`));
  const { uid, gid } = statSync(folder);
  const run = (command: string, ...args: string[]): void => {
    const result = spawnSync(command, args, { uid, gid, stdio: ['ignore', 'ignore', 'pipe'], cwd: folder, encoding: 'utf8' });
    assert.equal(result.status, 0, result.stderr);
  };
  const control = (...args: string[]): void => run(join(programs, 'pg_ctl'), '-w', ...args);
  const copy = join(folder, '..', 'copy');
  const port = await freePort();
  control('stop', '-D', folder, '-m', 'fast');
  run('cp', '-a', folder, copy);
  const startFirst = (): void => control('restart', '-D', folder, '-l', `${folder}.log`);
  startFirst();
  let isFirstDead = false;
  if (standby) {
    run('touch', join(copy, 'standby.signal'));
    appendFileSync(join(copy, 'postgresql.auto.conf'), `${standby.join('\n')}\n`);
  }
  control('start', '-D', copy, '-l', `${copy}.log`, '-o', `-p ${port} -k ${dirname(folder)} -c listen_addresses=127.0.0.1 ${SETTINGS}`);
  return {
    port,
    client: async () => {
      const client = new pg.Client({ connectionString: Object.assign(new URL(database.url), { port }).href });
      await client.connect();
      return client;
    },
    stop: () => {
      control('stop', '-D', copy, '-m', 'immediate');
      // So that it can be put away like others.
      if (isFirstDead) startFirst();
    },
    killFirst: () => {
      control('stop', '-D', folder, '-m', 'immediate');
      isFirstDead = true;
    },
  };
}
