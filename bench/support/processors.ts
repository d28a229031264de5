import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { psql } from './psql.ts';

const LAST = availableParallelism() - 1;
const FIRST_ONE = '0';
const OTHERS = `1-${LAST}`;
const ALL = `0-${LAST}`;

// As `nice` counts, but for a session as a whole: this is about ten times the weight of others.
const PRECEDENCE = -10;

/** Whether precedence can be given here: that is root's, on Linux, where the kernel shares out processors by session. */
export const canPrecede = mayPrecede();

/** Lets a process with a session of its own come before others, as `CPUWeight=` of systemd and `cpu_shares` of Docker do. */
export function precede(pid: number | 'self', precedence = PRECEDENCE): void {
  writeFileSync(`/proc/${pid}/autogroup`, String(precedence));
}

function mayPrecede(): boolean {
  try {
    precede('self', -1);
    precede('self', 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether a service can have a processor of its own here: that takes two of them that may be used, and Linux. */
export const canKeepApart = LAST > 0 && [FIRST_ONE, OTHERS].every((some) => spawnSync('taskset', ['-c', some, 'true']).status === 0);

/**
 * Keeps a service on the first processor, and a PostgreSQL, this process and what it starts meanwhile on the others,
 * as if they were on machines of their own.
 */
export async function keepApart(service: number, server: string, work: () => Promise<void>): Promise<void> {
  const kept = [...processesOf(server), process.pid];
  keep(FIRST_ONE, [service]);
  keep(OTHERS, kept);
  try {
    await work();
  } finally {
    keep(ALL, [service, ...kept]);
  }
}

/** The server itself, whose new processes stay where it is, and what it has started so far. */
function processesOf(server: string): number[] {
  const own = psql(server, `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)`);
  const started = psql(server, `select string_agg(pid::text, ' ') from pg_stat_activity where pid <> pg_backend_pid()`);
  const pids = [own, ...started.split(' ')].map(Number);
  // They are numbers of the machine that it is on.
  if (!pids.every((pid) => nameOf(pid) === 'postgres'))
    throw new Error('That PostgreSQL is not on this machine. Without TEST_POSTGRES_URL one is started here.');
  return pids;
}

function nameOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function keep(processors: string, pids: readonly number[]): void {
  for (const pid of pids) {
    const { status, stderr } = spawnSync('taskset', ['-acp', processors, String(pid)], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`Process ${pid} cannot be kept on processor ${processors}: ${stderr}`);
  }
}
