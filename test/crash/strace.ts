import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteFile } from '../../src/db/open.ts';
import type { Place } from '../support/databases.ts';
import { installPackage } from '../support/debian-package.ts';

export interface Fault {
  /** The system call that it happens to, only where it concerns this file. */
  call: string;
  /** One of those that a service on SQLite writes to (`database`, `log`, `admin-key`), or the path of another. */
  file: string;
  /** `signal=SIGKILL`, or `error=EIO` and the like. */
  what: string;
  /** Which calls, counted from the start of the process: `7`, or `7..9`. */
  when: string;
}

/** The command that starts a program so that exact system calls of it fail or kill it. */
export function underStrace(place: Place, { call, file, what, when }: Fault): string[] {
  ensureStrace();
  const own: Record<string, string> = {
    database: sqliteFile(place.dataDir),
    log: `${sqliteFile(place.dataDir)}-wal`,
    'admin-key': join(place.dataDir, 'admin-key'),
  };
  // -D: the program stays our child, and strace looks on from aside. Without --seccomp-bpf, which would be quicker but loses signals.
  const args = ['-D', '-f', '-o', traceFile(place), '-P', own[file] ?? file, '-e', `trace=${call}`];
  return ['strace', ...args, '-e', `inject=${call}:${what}:when=${when}`];
}

/** How often the fault has happened. */
export function faultsIn(place: Place): number {
  return readFileSync(traceFile(place), 'utf8').split('(INJECTED)').length - 1;
}

function traceFile(place: Place): string {
  return join(place.dataDir, 'trace');
}

let found = false;

/** Uses what is on the machine, else Debian's package when we may install it. Never goes on without it. */
function ensureStrace(): void {
  if (found) return;
  if (!isThere()) {
    installPackage('strace', 'The tests that stop the service at an exact write need strace. Install it.');
    if (!isThere())
      throw new Error('strace was installed but cannot be run here, and the tests that stop the service at an exact write need it.');
  }
  found = true;
}

/** Whether it is there and may trace: some containers forbid that. */
function isThere(): boolean {
  return spawnSync('strace', ['-D', '-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' }).status === 0;
}
