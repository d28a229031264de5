import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installPackage } from './debian-package.ts';
import { freePort } from './postgres-server.ts';
import { AUTHORITY, CERTIFICATE, CERTIFICATE_KEY } from './tls-certificates.ts';
import { until } from './until.ts';

interface MysqlServer {
  url: string;
  stop(): void;
}

/** One of one's own, which may be killed. */
export interface OwnMysqlServer extends MysqlServer {
  /** Where its files are. */
  readonly data: string;
  /** `kill -9`, and waits until it is gone. */
  kill(): Promise<void>;
  startAgain(): Promise<void>;
}

interface Programs {
  server: string;
  /** MariaDB's program that makes the system tables; MySQL's server does so itself. */
  install: string | undefined;
}

/**
 * A MariaDB or MySQL for this run: the one that TEST_MYSQL_URL names, else a private one from the binaries in TEST_MYSQL_BIN or on the
 * machine, else from Debian's package when we may install it. Never goes on without one.
 */
export async function startMysql(): Promise<MysqlServer> {
  const given = process.env['TEST_MYSQL_URL'];
  return given ? { url: given, stop: () => {} } : startOwnMysql();
}

/** One of its own, with these settings: to read its log, to kill it. */
export async function startOwnMysql(settings: readonly string[] = []): Promise<OwnMysqlServer> {
  const programs = findPrograms() ?? install();
  const folder = mkdtempSync(join(tmpdir(), 'syncline-mysql-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  // A MariaDB that starts removes what others have in the same place for tables of the moment, and they die of it.
  const env = { ...process.env, TMPDIR: join(folder, 'tmp') };
  mkdirSync(env.TMPDIR);
  for (const [name, content] of Object.entries({ 'ca.pem': AUTHORITY, 'cert.pem': CERTIFICATE, 'key.pem': CERTIFICATE_KEY }))
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  initialise(programs, folder, env);
  const port = await freePort();
  const log = join(folder, 'log');
  const start = (): ChildProcess =>
    spawn(
      programs.server,
      [
        '--no-defaults',
        ...asRoot(),
        `--datadir=${data}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        `--socket=${join(folder, 'socket')}`,
        `--pid-file=${join(folder, 'pid')}`,
        '--local-infile=1',
        // Real durability, as the default is: the tests kill things. Room for the suites that run side by side.
        '--max-connections=300',
        '--innodb-buffer-pool-size=128M',
        '--performance-schema=off',
        '--skip-name-resolve',
        // One protocol is enough, and the port of the other is always the same.
        ...(programs.install ? [] : ['--mysqlx=OFF']),
        ...['ca', 'cert', 'key'].map((name) => `--ssl-${name}=${join(folder, `${name}.pem`)}`),
        ...settings,
      ],
      { env, stdio: ['ignore', 'ignore', openSync(log, 'w')] },
    );
  let server = start();
  const stop = (): void => {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  // Also when something else fails and nobody gets to stop it.
  process.once('exit', stop);
  const answering = (): Promise<boolean> =>
    until('a server that answers', () => {
      if (server.exitCode !== null) throw new Error(`The server for the tests did not start: ${readFileSync(log, 'utf8').slice(-2000)}`);
      return answers(port);
    });
  try {
    await answering();
  } catch (error) {
    stop();
    throw error;
  }
  return {
    url: `mysql://root@127.0.0.1:${port}`,
    data,
    stop,
    kill: async () => {
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
    },
    startAgain: async () => {
      server = start();
      await answering();
    },
  };
}

function initialise({ server, install: program }: Programs, folder: string, env: NodeJS.ProcessEnv): void {
  const data = join(folder, 'data');
  // MySQL's root comes from "localhost" alone, which is no name of 127.0.0.1 where names are not looked up.
  const first = join(folder, 'first.sql');
  writeFileSync(first, "create user root@'127.0.0.1';\ngrant all on *.* to root@'127.0.0.1' with grant option;\n");
  const [command, args] = program
    ? [program, ['--no-defaults', ...asRoot(), `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db']]
    : [server, ['--no-defaults', ...asRoot(), `--datadir=${data}`, '--initialize-insecure', `--init-file=${first}`]];
  const result = spawnSync(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${command} failed: ${result.stdout}${result.stderr}`);
}

/** The server runs as root only when told so. */
function asRoot(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

/** Whether the server greets a client that connects. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const done = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('data', () => done(true));
    socket.once('error', () => done(false));
  });
}

/** What a server of one's own is called and can be told: MariaDB and MySQL have grown apart. */
export interface OwnMysqlWords {
  readonly isMariaDb: boolean;
  /** What `binlog_row_metadata` may be. */
  readonly rowMetadata: readonly string[];
  /** Has the log compressed. */
  readonly compressed: readonly string[];
  /** Numbers transactions, so that a replica can be gone on with. */
  readonly numbered: readonly string[];
  readonly resetLog: string;
  readonly logStatus: string;
  /** Makes a server the replica of the one at this port. */
  replicate(port: number): string[];
}

export function ownMysqlWords(): OwnMysqlWords {
  const { server, install: program } = findPrograms() ?? install();
  if (program)
    return {
      isMariaDb: true,
      rowMetadata: ['NO_LOG', 'MINIMAL', 'FULL'],
      compressed: ['--log-bin-compress=1', '--log-bin-compress-min-len=10'],
      numbered: ['--gtid-strict-mode=1', '--log-slave-updates=1'],
      resetLog: 'reset master',
      logStatus: 'show master status',
      replicate: (port) => [
        `change master to master_host = '127.0.0.1', master_port = ${port}, master_user = 'root', master_use_gtid = slave_pos, master_ssl = 0`,
        'start slave',
      ],
    };
  const [, major, minor] = /Ver (\d+)\.(\d+)/.exec(spawnSync(server, ['--no-defaults', '--version'], { encoding: 'utf8' }).stdout) ?? [];
  const isNew = Number(major) > 8 || Number(minor) >= 4;
  return {
    isMariaDb: false,
    rowMetadata: ['MINIMAL', 'FULL'],
    compressed: ['--binlog-transaction-compression=ON'],
    numbered: ['--gtid-mode=ON', '--enforce-gtid-consistency=ON'],
    resetLog: isNew ? 'reset binary logs and gtids' : 'reset master',
    logStatus: isNew ? 'show binary log status' : 'show master status',
    replicate: (port) => [
      `change replication source to source_host = '127.0.0.1', source_port = ${port}, source_user = 'root', source_auto_position = 1, source_ssl = 0`,
      'start replica',
    ],
  };
}

function findPrograms(): Programs | undefined {
  const named = process.env['TEST_MYSQL_BIN'];
  const find = (name: string): string | undefined => {
    if (named) return [join(named, name)].find((path) => existsSync(path));
    const onPath = spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim();
    return [onPath, `/usr/sbin/${name}`, `/usr/bin/${name}`].find((path) => path !== '' && existsSync(path));
  };
  const mariadb = find('mariadbd');
  const program = find('mariadb-install-db');
  if (mariadb && program) return { server: mariadb, install: program };
  const mysql = find('mysqld');
  if (named && !mysql) throw new Error(`TEST_MYSQL_BIN names a folder without mariadbd and mysqld: ${named}`);
  return mysql ? { server: mysql, install: undefined } : undefined;
}

function install(): Programs {
  installPackage('mariadb-server', 'The tests need MariaDB 10.6 or MySQL 8. Install one, or name a server in TEST_MYSQL_URL.');
  const found = findPrograms();
  if (!found) throw new Error('MariaDB was installed but its programs cannot be found. Name a server in TEST_MYSQL_URL.');
  return found;
}
