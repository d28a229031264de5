import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../support/postgres-server.ts';
import { until } from '../support/until.ts';

/** A PostgreSQL of one's own that may be killed. */
export interface KillablePostgres {
  readonly url: string;
  /** `kill -9` for the server and every process of it. */
  kill(): Promise<void>;
  startAgain(): void;
  stop(): void;
}

export async function startKillablePostgres(settings = ''): Promise<KillablePostgres> {
  // No other test may use it, so it is none that is there already.
  const server = await startPostgres('', settings);
  const folder = await dataDirectory(server.url);
  let programs = '';
  return {
    url: server.url,
    kill: async () => {
      const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
      programs = dirname(readlinkSync(`/proc/${pid}/exe`));
      // Stopped first, so that it starts no more of them.
      process.kill(pid, 'SIGSTOP');
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
      for (const id of [...children, pid]) process.kill(id, 'SIGKILL');
      await until('the server is dead', () => [...children, pid].every(isDead));
    },
    startAgain: () => startAgain(folder, programs),
    stop: () => server.stop(),
  };
}

async function dataDirectory(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ data_directory: string }>('show data_directory')).rows[0]?.data_directory ?? '';
  } finally {
    await client.end();
  }
}

/** Whether the process is gone, or only waits for its parent to take notice of its end. */
function isDead(pid: number): boolean {
  try {
    return / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/, ''));
  } catch {
    return true;
  }
}

function startAgain(folder: string, programs: string): void {
  // We know that it is dead; PostgreSQL would wonder, as long as nobody has taken notice.
  for (const file of [join(folder, 'postmaster.pid'), ...globSync(join(folder, '..', '.s.PGSQL.*.lock'))]) rmSync(file);
  const { uid, gid } = statSync(folder);
  // A restart takes the options of the start before.
  const args = ['restart', '-D', folder, '-w', '-l', join(folder, '..', 'log')];
  const result = spawnSync(join(programs, 'pg_ctl'), args, {
    uid,
    gid,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(result.status, 0, result.stderr);
}
