import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackage } from './debian-package.ts';

export interface PostgresServer {
  url: string;
  stop(): void;
}

/**
 * A PostgreSQL for this run: the one that TEST_POSTGRES_URL names, else a private one from the binaries in TEST_POSTGRES_BIN or on the machine,
 * else from Debian's package when we may install it. Never goes on without one. An empty `given` is for tests that need a
 * server to themselves, with `settings` such as `-c ssl=on`.
 */
export async function startPostgres(given = process.env['TEST_POSTGRES_URL'], settings = ''): Promise<PostgresServer> {
  if (given) return { url: given, stop: () => {} };
  const bin = findBinaries() ?? install();
  const folder = mkdtempSync(join(tmpdir(), 'syncline-postgres-'));
  const data = join(folder, 'data');
  const port = await freePort();
  mkdirSync(data);
  const user = serverUser();
  if (user) for (const path of [folder, data]) chownSync(path, user.uid, user.gid);
  const run = (command: string, args: string[]): void => {
    const result = spawnSync(join(bin, command), args, { ...user, stdio: ['ignore', 'ignore', 'pipe'], cwd: folder, encoding: 'utf8' });
    if (result.status !== 0) throw new Error(`${command} failed: ${result.stderr}`);
  };
  run('initdb', ['-D', data, '-U', 'syncline', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  // Room for the suites that run side by side.
  run('pg_ctl', [
    '-D',
    data,
    '-w',
    '-l',
    join(folder, 'log'),
    '-o',
    `-p ${port} -k ${folder} -c max_connections=400 -c listen_addresses=127.0.0.1 ${settings}`,
    'start',
  ]);
  return {
    url: `postgres://syncline@127.0.0.1:${port}/postgres`,
    stop: () => {
      run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findBinaries(): string | undefined {
  const named = process.env['TEST_POSTGRES_BIN'];
  if (named) return named;
  const folders = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionOf(b) - versionOf(a));
  const onPath = spawnSync('which', ['initdb'], { encoding: 'utf8' }).stdout.trim();
  return [...folders, ...(onPath ? [join(onPath, '..')] : [])].find((folder) => existsSync(join(folder, 'initdb')));
}

function versionOf(folder: string): number {
  return Number(/postgresql\/(\d+)/.exec(folder)?.[1] ?? 0);
}

function install(): string {
  installPackage('postgresql', 'The tests need PostgreSQL 14 or newer. Install it, or name a server in TEST_POSTGRES_URL.');
  const found = findBinaries();
  if (!found) throw new Error('PostgreSQL was installed but its programs cannot be found. Name a server in TEST_POSTGRES_URL.');
  return found;
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
